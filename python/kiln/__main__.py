"""`python3 -m kiln ...` is the program `kiln`, which lies beside this package."""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "bin" / "kiln"


def main() -> int:
    """Does not come back: the program takes the place of this process, and signals go to it."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(PROGRAM, ["kiln", *sys.argv[1:]])
    except OSError as e:
        print(f"kiln: cannot run {PROGRAM}: {e.strerror}.", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
