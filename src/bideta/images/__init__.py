"""Pictures on disk: reading them, finding them in folders, and writing files whole or not at all."""
