"""What the simulated twins share: levels, rendered pictures, and ways to write them to disk."""

SOURCE_STRIDE = (
    4  # a source head learns from every fourth frame: neighbouring frames of a press are nearly alike
)
