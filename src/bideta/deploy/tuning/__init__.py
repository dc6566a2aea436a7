"""Settings chosen without a label of any query."""
