"""`./kiln living`."""

from experiments.__main__ import command
from experiments.collection import LIVING_TISSUE

if __name__ == "__main__":
    command(LIVING_TISSUE)
