"""Makes ``python -m prviz`` run the ``prviz`` command."""

from __future__ import annotations

import sys

from prviz.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
