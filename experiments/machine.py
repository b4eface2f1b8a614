"""Where and when a result was made."""

from __future__ import annotations

import datetime
import functools
import os
import platform
import subprocess
import tempfile
from pathlib import Path

import kiln

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "models"


def today() -> str:
    return datetime.date.today().isoformat()


def cores() -> int:
    return len(os.sched_getaffinity(0))


@functools.cache
def commit() -> str:
    """Short; "unknown" without git, and marked where files have changed since. A tree that `git archive` packed has it
    in a file."""
    packed = (ROOT / "experiments" / "commit.txt").read_text(encoding="utf-8").strip()
    if not packed.startswith("$"):
        return packed[:10]
    try:
        name = _git("rev-parse", "--short=10", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return name + (" and changes" if changed else "")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@functools.cache
def gpu() -> str:
    """Its name; "" where there is none that Kiln can use."""
    try:
        return kiln.Simulation({"lattice": {"size": [32, 32]}}, engine="cuda", record=False).gpu
    except (kiln.Failure, kiln.UserError):
        return ""


@functools.cache
def gpus() -> int:
    """How many of them Kiln can use."""
    count = 0
    while True:
        try:
            kiln.Simulation({"lattice": {"size": [32, 32]}}, engine="cuda", device=count, record=False)
        except (kiln.Failure, kiln.UserError):
            return count
        count += 1


@functools.cache
def keeps_checkpoints() -> bool:
    """Whether a run that is stopped goes on, or starts anew: Kiln may be built without HDF5."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            kiln.Simulation({"lattice": {"size": [32, 32]}}, engine="serial", record=False).save(f"{folder}/c.h5")
        except kiln.Failure:
            return False
    return True


@functools.cache
def describe() -> str:
    """The processor and the GPU, in words."""
    return f"{_processor()}, {cores()} cores, {gpu() or 'no GPU'}"


def _processor() -> str:
    try:
        listed = subprocess.run(["lscpu"], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return platform.machine()
    for line in listed.splitlines():
        if line.startswith("Model name:"):
            return f"{line.split(':', 1)[1].strip()} ({platform.machine()})"
    return platform.machine()
