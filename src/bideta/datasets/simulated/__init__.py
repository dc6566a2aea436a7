"""What the simulated twins share: levels, rendered pictures, and ways to write them to disk."""
