"""docs/evidence/benchmarks.md: tables, pictures and targets, made from the results without measuring."""
