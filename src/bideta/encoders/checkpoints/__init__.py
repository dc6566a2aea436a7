"""Weight files: where they are found, how they are read without running them, how an encoder is exported."""
