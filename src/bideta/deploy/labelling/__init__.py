"""Few labels: which contacts to label next, and what unlabelled ones can lend."""
