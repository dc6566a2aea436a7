"""How the method is measured: episodes, cached features, metrics."""
