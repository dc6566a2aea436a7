"""What the pages of trust over time say between their tables."""

OVER_TIME = """# Trust over time: a new gel, another day, a press as it goes on

**With one new label per class the same sensor on another day is right in {kept} %, and in {anew} % from a start anew**
(real, mean of both directions). Of 37 objects {first} % are recognised after one frame, {fifth} % after five.

`python -m benchmarks.trust.earlier --real SETS --cache DIR`, `python -m benchmarks.trust.presses --real SETS
--cache DIR` measure, `python -m benchmarks.trust.page` writes this page. Preset `touch`. How to use it: [a new
gel](../how-to/new-gel.md), [sure, or press again](../how-to/press-again.md).

## An earlier sensor is kept as far as the new labels speak for it

The earlier sensor has ten labelled contacts of each class. With 1 to 20 new ones the sensor starts *anew*, takes
all old labels (*together*), or lets the new labels decide (*kept*: `adapt --from`, `deploy.keep_earlier`). Asked
are presses that no label came from. Right answers in %, mean of five draws; *worst draw* is the smallest gain over
a start anew, *shares* what was kept in each draw. The promise is never to lose more than a point to a start anew,
on average over draws.

![accuracy against new labels](../images/earlier.png)
"""

EARLIER = """{who}: of {cells} means {below} lose more than a point to a start anew (the smallest gain is {worst}), of
{draws} single draws {lost} (the smallest: {least}).
"""

PRESSES = """## A press as it goes on

Half of the presses of each class, at most five, are labelled; the others come frame by frame through `OnlineBideta`
and `AnytimePress`. ρ is the correlation of a press's frames, measured on hidden labelled presses, one number for
each of three draws: t frames count as t / (1 + (t − 1)ρ). *Frame alone* is the mean over all single frames. Of
presses that end without being sure `live` says "press again". All numbers are by press, over three draws.

![accuracy against frames of contact](../images/anytime.png)
"""

WHICH = """## When the labelled presses were recorded

Five materials, one GelSight Mini on two days (real). Of each material 2, 5 or 10 presses of one day are labelled by
their middle frame: the *first* of the day, the *last*, evenly *spread* ones, or *random* ones (mean of five draws).
Asked is the other day. Right answers in %, by frame. `python -m benchmarks.trust.which_presses --real SETS --cache
DIR` measures.
"""

GEL = """# Gel health

**Wear at full strength was found in {strong}, at 0.3 of it in {weak} streams; {false} of {streams} healthy ones were
called worn.** One new label per class beside the old ones brings answers back from {old} to {kept} % on average.

Simulated throughout: `python -m benchmarks.trust.wear --cache DIR` measures, `python -m benchmarks.trust.page`
writes this page. Preset `touch`, ten labelled contacts of each of 16 objects. How to use it: [a worn
gel](../how-to/worn-gel.md).

The watch takes one contact of every press, no label: its distance to the answer's class, the disagreement of the
readouts, the likeness of the nearest labelled contact and the size of the features. Each is ranked among earlier
contacts with the same answer. As long as nothing changes, ranks are uniform, and a bet against that wins only by
chance (a conformal test martingale): at most one of a thousand healthy streams of a thousand contacts may ever
be called worn. Pictures of the untouched gel say beside that what has changed: light, contrast, markers.

**False alarms**, which the bound covers only where objects come in any order (object by object wrong answers arrive
together): streams of 300 healthy contacts, half of them mixed, half object by object, called worn: {alarms}.

## Delay until the alarm

150 healthy contacts, then up to 300 of a worn gel, 20 streams for each of seven kinds of wear and four strengths.
*Right*: accuracy on the worn gel in %; *lost* in points, and as the watch *estimated* it from confidence; streams
in which the wear was *found*; the median number of worn contacts until then.

![delay and accuracy against strength](../images/wear.png)
"""

REPAIR = """## What brings answers back

At full strength, new labels per class on the worn gel, right in %, mean of two draws: a start *anew* from these
alone, and the earlier labels as well, as far as the new ones speak for them (*kept*, `adapt --from`). """
