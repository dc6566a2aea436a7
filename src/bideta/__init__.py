"""bideta: a frozen tactile encoder on a sensor it has never seen."""
