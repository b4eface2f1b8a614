"""`python3 -m kiln ...` is the program `kiln`."""

import sys

from kiln._kiln import command


def main() -> int:
    return command(["kiln", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
