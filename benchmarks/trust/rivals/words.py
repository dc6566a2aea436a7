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
"""

TO_LABEL = """## What to label

TypiClust, ProbCover, MaxHerding, DropQuery and BADGE are scikit-activeml's, in our geometry, among the middle
frames of presses. A round asks for as many labels as there are classes. *Class by class* needs the labels that it
asks for: what a person does who presses every object in turn. The preset's prior decides by itself whether a batch
follows the labels' frequencies; with one or two labels per class this decides more than the choice of contacts
does. So the second table holds every batch to the labels' frequencies.
"""

LABEL_SETS = """## Label sets

Sets that promise the true class in 90 %: the share of presses whose set holds it (*held*), the same among the
quarter of classes that are held least (*least*), and the mean size as a share of all classes (*size*), with 2, 5
and 20 labels per class. *Split* hides half of the presses once (as MAPIE, TorchCP and crepes do; the tests compare
ours with MAPIE's and crepes's numbers), *cross* every fifth in turn, each press weighing one. *APS* adds up
probabilities; *press by press* pools the frames of a press first.
"""

CALIBRATION = """## Calibration

How well the stated probability of being right fits, by press: expected calibration error, Brier score, area under
the risk–coverage curve; less is better. Every map learns from the same hidden labelled contacts. """
