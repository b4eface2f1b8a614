"""Computes pieces beside each other, as far as cores and a GPU go round, and within a budget of time."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

from experiments import machine, pieces, processes
from experiments.pieces import GPU_SHARES, Piece

# Seconds per second of a piece's cost, until one of its kind was timed on this machine.
_UNKNOWN_PACE, _UNKNOWN_GPU_PACE = 1.5, 1.2
_BEST_PACE = 0.5  # that is relied upon: pieces of one kind are not all alike
_MARGIN = 1.2
_WORTH_STARTING = 60.0  # seconds: a piece that resumes is not started for less, or for less than it costs
_POLL = 0.5  # seconds: Ctrl-C is heard as often


@dataclass(frozen=True)
class Task:
    piece: Piece
    folder: Path


@dataclass
class Report:
    left: int = 0  # of the tasks: no time for them
    without_gpu: int = 0  # they need a GPU, and there is none
    failed: int = 0
    abandoned: int = 0  # threads that still compute, in vain
    interrupted: bool = False

    @property
    def complete(self) -> bool:
        return not (self.left or self.without_gpu or self.failed)


def compute(tasks: Sequence[Task], jobs: int, gpu: bool, tell: Callable[[str], None],
            deadline: float | None = None) -> Report:
    """Until all is done or the clock (time.monotonic) says `deadline`: nothing that would not be done by then is
    started, what can resume is stopped, and the rest of what is under way is lost."""
    return _Computing(tasks, jobs, gpu, tell, deadline).run()


class _Computing:
    def __init__(self, tasks: Sequence[Task], jobs: int, gpu: bool, tell: Callable[[str], None],
                 deadline: float | None):
        self._tasks = [task for task in tasks if gpu or not task.piece.gpu]
        self._jobs, self._tell, self._deadline = jobs, tell, deadline
        self._report = Report(without_gpu=len(tasks) - len(self._tasks))
        self._finished: queue.Queue = queue.Queue()
        self._pace: dict[str, float] = {}
        self._done = 0
        self._stopping = False

    def run(self) -> Report:
        processes.allow()
        alone = [task for task in self._tasks if task.piece.alone]
        beside = [task for task in self._tasks if not task.piece.alone]
        # What is alone comes first: nothing has to end before it can start.
        self._work_off([task for task in alone if task.piece.prepare], _prepare)
        for task in alone:
            self._work_off([task], _compute)
        # Short ones first on the GPU, where several small runs are worth more than a long one; long ones first on
        # cores, so that none is left over at the end.
        self._work_off(sorted((task for task in beside if task.piece.gpu), key=lambda task: task.piece.cost)
                       + sorted((task for task in beside if not task.piece.gpu), key=lambda task: -task.piece.cost),
                       _compute)
        self._report.left = len(self._tasks) - self._done - self._report.failed
        return self._report

    def _work_off(self, waiting: list[Task], work: Callable[[Task], float]) -> None:
        running: list[Task] = []
        try:
            while waiting or running:
                self._start_what_fits(waiting, running, work)
                if not running:
                    return
                self._take_one(running, work)
                if self._deadline is not None and time.monotonic() > self._deadline and not self._stopping:
                    self._tell("time is up")
                    break
            else:
                return
        except KeyboardInterrupt:
            self._report.interrupted = True
        self._stop(running, work)

    def _start_what_fits(self, waiting: list[Task], running: list[Task], work: Callable[[Task], float]) -> None:
        for task in list(waiting):
            shares = sum(other.piece.gpu for other in running)
            if self._stopping or len(running) >= self._jobs:
                return
            if shares + task.piece.gpu > GPU_SHARES or not self._in_time(task.piece):
                continue
            waiting.remove(task)
            running.append(task)
            threading.Thread(target=self._play, args=(task, work), daemon=True).start()

    def _in_time(self, piece: Piece) -> bool:
        if self._deadline is None:
            return True
        cost = piece.cost * self._pace.get(piece.work.__qualname__, _UNKNOWN_GPU_PACE if piece.gpu else _UNKNOWN_PACE)
        least = min(cost, _WORTH_STARTING) if piece.resumes and machine.keeps_checkpoints() else cost
        return least < self._deadline - time.monotonic()

    def _play(self, task: Task, work: Callable[[Task], float]) -> None:
        try:
            self._finished.put((task, work(task), None))
        except Exception as error:  # of one piece: the others go on
            self._finished.put((task, 0.0, error))

    def _take_one(self, running: list[Task], work: Callable[[Task], float]) -> None:
        try:
            task, seconds, error = self._finished.get(timeout=_POLL)
        except queue.Empty:
            return
        running.remove(task)
        if error is None and work is _compute:
            self._note(task, seconds)
        elif error is not None and not isinstance(error, processes.Stopped) and work is _compute:
            self._report.failed += 1
            self._tell(f"{task.piece.name} failed: {error}")

    def _note(self, task: Task, seconds: float) -> None:
        self._done += 1
        kind = task.piece.work.__qualname__
        self._pace[kind] = max(self._pace.get(kind, _BEST_PACE), _MARGIN * seconds / task.piece.cost)
        self._tell(f"{self._done}/{len(self._tasks)}  {task.piece.name}  {seconds:.1f} s")

    def _stop(self, running: list[Task], work: Callable[[Task], float]) -> None:
        """Threads that compute cannot be interrupted; nothing of theirs is on disk before it is whole."""
        self._stopping = True
        processes.stop_all()
        while any(task.piece.resumes for task in running):
            self._take_one(running, work)
        self._report.abandoned += len(running)


def _prepare(task: Task) -> float:
    task.piece.prepare(**task.piece.settings)
    return 0.0


def _compute(task: Task) -> float:
    return pieces.compute(task.piece, task.folder)
