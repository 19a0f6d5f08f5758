"""Lets ``python -m prviz`` do what the ``prviz`` command does."""

from __future__ import annotations

import sys

from prviz.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
