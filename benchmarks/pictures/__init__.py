"""What a user waits for: imports, decoding, the encoder. ``python -m benchmarks.pictures``."""
