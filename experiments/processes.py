"""Programs that pieces start, so that all of them can be asked to stop."""

from __future__ import annotations

import subprocess
import sys
import threading

import kiln

_lock = threading.Lock()
_running: set[subprocess.Popen] = set()
_stopping = False


class Stopped(Exception):
    """A program was stopped before its end; it goes on from what it has left."""


def run(*arguments: str) -> str:
    """What `kiln ...` prints; Failure where it fails."""
    return run_command([sys.executable, "-m", "kiln", *arguments])


def run_command(command: list[str]) -> str:
    with _lock:
        if _stopping:
            raise Stopped
        # A session of its own: Ctrl-C reaches it through stop_all alone, once.
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        _running.add(process)
    try:
        out, err = process.communicate()
    finally:
        with _lock:
            _running.discard(process)
    if process.returncode != 0 and _stopping:
        raise Stopped
    if process.returncode != 0:
        said = (err.strip() or out.strip())[-2000:] or "it said nothing"
        raise kiln.Failure(f"{' '.join(command)} ended with exit code {process.returncode}: {said}")
    return out


def stop_all() -> None:
    """Asks what runs to stop (SIGTERM); nothing starts any more until `allow`."""
    global _stopping
    with _lock:
        _stopping = True
        for process in _running:
            process.terminate()


def allow() -> None:
    global _stopping
    _stopping = False
