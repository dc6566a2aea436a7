"""``python -m bideta`` is the command ``bideta``."""

from bideta.cli import main

if __name__ == "__main__":
    main()
