"""What the simulated twins share: levels, rendered pictures, and ways to write them to disk."""

# A source head learns from every fourth frame: neighbouring frames of a press are nearly alike.
SOURCE_STRIDE = 4
