"""What the page says between its tables."""

HEAD = """# Our promises beside the strongest rivals

`python -m benchmarks.trust.rivals --root SETS --cache DIR` measures and writes this page; `--page` only writes it.
It needs the dependency group `trust` (`pip install --group trust`). Encoder: the default of the command line;
sensors: the preset `touch`, unmodified, unless a table says otherwise. Numbers are means over {draws} draws and
over the sets of a kind, counted by press, in %. Sets: {sets}. Real sets are split so that drift inside a recording
cannot help. "Ours" is what the package does. Bold is the best of a column, to a tenth of a point: with so few sets
and draws a point or two is chance.
"""

NOVELTY = """## Contacts of no enrolled class

A quarter of the classes is not enrolled. AUROC, and the share of their presses that is found where 5 % of the
enrolled ones are called strange (the threshold is set on the queries, for rivals as for ours), with 2, 5 and 20
labels per class. The published scores are those of pytorch-ood, on logits of the memory and on features: the
standardised readouts, or our spectral geometry.

What follows: our sum of four clues lost to the best probability alone on real recordings, so in batches of 64 or more
the package now takes doubt and crowd only (*ours*). Scores of features alone are far behind with so few labels.
"""

TO_LABEL = """## What to label

TypiClust, ProbCover, MaxHerding, DropQuery and BADGE are scikit-activeml's, in our geometry, among the middle
frames of presses. A round asks for as many labels as there are classes. *Class by class* needs the labels that it
asks for: what a person does who presses every object in turn. The preset's prior decides by itself whether a batch
follows the labels' frequencies; with one or two labels per class this decides more than the choice of contacts
does. So the second table holds every batch to the labels' frequencies.

What follows: with the preset as it is ours and MaxHerding are level, to a point or two, and both are ahead of the
others from the first round on. With `prior="support"` MaxHerding is ahead of ours, by 1 to 5 points where there are
several labels per class, and DropQuery and class by class by more: there a choice that leaves classes with unequal
numbers of labels is punished. MaxHerding is the greedy cover of ours without the weight of doubt, so there is nothing
to put in its place: `suggest` stays as it is. Choosing among middle frames of presses (*ours, middle frames*) changes
nothing.
"""

LABEL_SETS = """## Label sets

Sets that promise the true class in 90 %: the share of presses whose set holds it (*held*), the same among the
quarter of classes that are held least (*least*), and the mean size as a share of all classes (*size*), with 2, 5
and 20 labels per class. *Split* hides half of the presses once (as MAPIE, TorchCP and crepes do; the tests compare
ours with MAPIE's and crepes's numbers), *cross* every fifth in turn, each press weighing one. *APS* adds up
probabilities; *press by press* pools the frames of a press first.

What follows: cross-conformal sets are as small as any and hold more than split ones; weighing by presses changes
nothing here. With 20 labels from another day no small set keeps 90 %: gel and light have changed, and many sets are
empty ("resembles no enrolled class"). The labels cannot know. APS holds there with sets five times as large. Sets
by class hold for every class where labels and queries come alike (simulated, 20 labels: 98, of the least 92), at
the price of nothing excluded below nine presses; they are offered (`by_class=True`, `--sets-by-class`), as is
nothing else of this table.
"""

CALIBRATION = """## Calibration

How well the stated probability of being right fits, by press: expected calibration error, Brier score, area under
the risk–coverage curve; less is better. Every map learns from the same hidden labelled contacts.

What follows: on the twin our reliability (several clues) is the best or level. On real recordings a logistic map of
the probability alone (Platt) is better calibrated from 5 labels on. With 20 labels nearly all of that is one split,
day 1 taught by day 2 (error 47 against 13; elsewhere the two differ by at most 2): clues of distance call a gel
wrong that has merely changed. The order of answers (AURC) is the same. *Ours* is the reliability as of this
measurement.
"""
