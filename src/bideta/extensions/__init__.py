"""Ours, not the paper's: what a sensor at work needs below its estimator. Everything here is off by default."""
