"""What the page says between its tables."""

HEAD = """# Our promises beside the strongest rivals

On real recordings our score finds the most contacts of no enrolled class (62 % at 5 labels, best rival 53 %). Label
sets, the choice of contacts to label and the calibration of answers are level with the best rival of each.

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

What follows: on real recordings a sum of four clues loses to the best probability alone. So in batches of 64 or more
contacts the package takes two of them, doubt and crowd (*ours*). Scores of features alone are far behind with so few
labels.
"""

TO_LABEL = """## What to label

TypiClust, ProbCover, MaxHerding, DropQuery and BADGE are scikit-activeml's, in our geometry, among the middle
frames of presses. A round asks for as many labels as there are classes. *Class by class* needs the labels that it
asks for: what a person does who presses every object in turn. The preset's prior decides by itself whether a batch
follows the labels' frequencies; with one or two labels per class this decides more than the choice of contacts
does. So the second table holds every batch to the labels' frequencies.

What follows: on real recordings ours is level with the best rivals at one and two labels per class (within two
points, under either prior) and ahead of them from three on, but for BADGE at eight; pressing class by class is
better than any choice. On the twin MaxHerding is better in the first rounds (by 15 points and by 4), level later;
most of that is the choice among middle frames of presses (*ours, middle frames*), which costs nothing on real
recordings in the first round. MaxHerding is the greedy cover of ours without the weight of doubt. Nothing wins on
real recordings, so `suggest` keeps its rule.
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

What follows: our reliability is level with the best single maps. On real recordings it is within two points of the best
error at every number of labels, as beta calibration is; a logistic map of the probability alone (Platt) is a little
better at 5 labels and worse at 2. No map wins, so ours stays. It does not look at how far a contact is from
the labelled ones: where day 2 taught day 1 that clue called a gel wrong that had merely changed.
"""
