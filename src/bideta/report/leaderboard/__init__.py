"""The leaderboard: records of any number of runs, on one page that needs nothing else.

submissions   folders of strangers, read within limits
rows          records → lines of the page, one per dataset, sensor, encoder, method and number of labels
commands      what to type to measure a line again
page          lines → HTML; ``sort.js`` and ``board.css`` are put into it
checks        what became of cells that were measured again
"""
