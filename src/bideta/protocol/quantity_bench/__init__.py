"""``bideta bench quantities`` and ``bench slip``: depth, tilt, position and force on real sensors and on twins.

sets      recorded folders with a ``targets.csv``, and simulated sensors whose truth is known
rivals    regressors of scikit-learn, all with the same standardisation and small grids
cells     what is asked
run       cells → records
slip      slip or no slip from two frames, on twins
cost      how time grows with labels, queries and readouts
"""
