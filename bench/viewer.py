"""What watching a run costs it, and how soon and how smoothly it is seen.

    ./kiln python bench/viewer.py [MODEL.toml] [--mcs N] [--pairs N] [--engine cuda] [--fps]
    ./kiln python bench/viewer.py MODEL.toml --seconds N [--pairs N] [--engine cuda]

By turns, the same run without a page, with one that takes ten frames a second, and with fifty, ten of which read
nothing of what they ask for; prints MCS per second beside those of the run that nobody watches, medians of pairs, the
largest memory, and the time from the URL to the first frame. With --seconds, for tissues that take long to build, the
turns are stretches of so many seconds, 6 or more, of one run that is ended afterwards; they begin when its rate has
become steady, for young tissues are quick. With --fps also frames per second
while a browser (Chromium, without a GPU) turns the tissue of a run that is paused. Without a model, the demo. Needs an
idle machine.
"""

import argparse
import json
import os
import socket
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("KILN_BINARY", str(Path(os.environ.get("KILN_BUILD", ROOT / "build")) / "kiln"))
sys.path.insert(0, str(ROOT / "tests" / "view"))

import browser  # noqa: E402
from kiln_viewer import Client, Program  # noqa: E402

PERIOD_S = 0.1
CASES = {"nobody": (0, 0), "one page": (1, 0), "50, 10 of them silent": (40, 10)}  # how many read, how many do not
TURNING = """(async () => {
  const { app } = await import('/page/app.js'), frames = [], until = performance.now() + 4000;
  while (performance.now() < until) {
    app.scene.turnBy(0.03, 0);
    frames.push(await new Promise(requestAnimationFrame));
  }
  return (frames.length - 1) / (frames.at(-1) - frames[0]) * 1000;
})()"""


class Watchers:
    """Pages without a browser: some ask for frames, others ask and never read."""

    def __init__(self, program, reading, silent):
        self.ended, self.frames, self.first_s = False, 0, None
        self.start = time.perf_counter()
        self.threads = [threading.Thread(target=self.read, args=(program,)) for _ in range(reading)]
        self.sockets = [self.ask_and_leave(program) for _ in range(silent)]
        for thread in self.threads:
            thread.start()

    def read(self, program):
        number = 0
        try:
            client = Client(program)
            while not self.ended:
                asked = time.perf_counter()
                with client.opener.open(f"{client.address}/api/frame?after={number}") as answer:
                    if answer.status == 200:
                        number = int(answer.headers["X-Frame"])
                        answer.read()
                        self.frames += 1
                        self.first_s = self.first_s or time.perf_counter() - self.start
                time.sleep(max(0, PERIOD_S - (time.perf_counter() - asked)))
        except OSError:
            pass  # the run has ended

    @staticmethod
    def ask_and_leave(program):
        client = Client(program)
        cookie = client.cookie()
        host, port = program.address.removeprefix("http://").split(":")
        asking = socket.create_connection((host, int(port)))
        asking.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        asking.sendall(f"GET /api/frame?after=0 HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookie}\r\n\r\n".encode())
        return asking

    def end(self):
        self.ended = True
        for asking in self.sockets:
            asking.close()
        for thread in self.threads:
            thread.join()


def memory_of(pid):
    """The largest so far, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    return 0


def start(options, out, mcs, *more):
    model = [options.model] if options.model else []
    return Program("run", *model, "--mcs", mcs, "--engine", options.engine, "--out", out, "--view", *more,
                   *(word for key in options.set for word in ("--set", key)))


def play(options, reading, silent):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        program = start(options, out, options.mcs, "--json")
        begun = time.time()
        watchers = Watchers(program, reading, silent)
        memory = 0
        while not (out / "run.json").exists():
            memory = max(memory, memory_of(program.process.pid))
            time.sleep(0.05)
        seconds = (out / "run.json").stat().st_mtime - begun
        watchers.end()
        program.end()
        record = json.loads((out / "run.json").read_text())
        return {"rate": record["mcs"] / seconds, "frames": watchers.frames / seconds, "first_s": watchers.first_s,
                "memory": memory, "hash": record["hash"]}


def wait_until_steady(status, seconds):
    """Until three stretches in a row have the same rate to 2%; after twelve it goes on all the same. In words."""
    rates = []
    for _ in range(12):
        time.sleep(seconds)
        rates.append(status()["rate"])
        if len(rates) >= 3 and max(rates[-3:]) <= 1.02 * min(rates[-3:]):
            return f"steady after {len(rates)} stretches"
    return f"not steady after {len(rates)} stretches"


def play_by_turns(options, found):
    """Rates are the program's own, of the last five seconds of a stretch."""
    with tempfile.TemporaryDirectory() as folder:
        program = start(options, Path(folder) / "run", 10**9)
        first = Watchers(program, 1, 0)
        while not first.first_s:
            time.sleep(0.05)
        first.end()
        print(f"{first.first_s:.2f} s from the URL to the first frame")
        status = Client(program).status
        print(wait_until_steady(status, options.seconds))
        for _ in range(options.pairs):
            for name, (reading, silent) in CASES.items():
                watchers, begun = Watchers(program, reading, silent), time.perf_counter()
                time.sleep(options.seconds)
                rate, frames = status()["rate"], watchers.frames / (time.perf_counter() - begun)
                watchers.end()
                found[name].append({"rate": rate, "frames": frames, "first_s": watchers.first_s,
                                    "memory": memory_of(program.process.pid), "hash": None})
        program.process.kill()
        program.wait()


def frames_per_second(options):
    with tempfile.TemporaryDirectory() as folder:
        program = start(options, Path(folder) / "run", 10**9, "--steer")
        chromium = browser.Browser()
        page = chromium.page(program.url)
        page.wait_for("Number(document.querySelector('#stage')?.dataset.drawn ?? 0) > 0")
        page.click_on("#go")
        page.wait_for("document.querySelector('#state').textContent === 'paused'")
        page.value(TURNING)
        rates = [page.value(TURNING) for _ in range(3)]
        chromium.close()
        program.end()
        return statistics.median(rates)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?")
    parser.add_argument("--mcs", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--fps", action="store_true")
    options = parser.parse_args()
    found = {name: [] for name in CASES}
    stretch = f"{options.seconds:g} s" if options.seconds else f"{options.mcs} MCS"
    print(f"{options.model or 'the demo'}, {stretch}, {options.pairs} times by turns")
    if options.seconds:
        play_by_turns(options, found)
    else:
        for _ in range(options.pairs):
            for name, (reading, silent) in CASES.items():
                found[name].append(play(options, reading, silent))
    hashes = {run["hash"] for runs in found.values() for run in runs}
    print(f"{'watched by':24}{'MCS/s':>10}{'of nobody':>11}{'least to most':>16}{'frames/s':>10}{'first frame':>13}"
          f"{'memory':>10}")
    for name, runs in found.items():
        middle = {key: statistics.median(run[key] for run in runs) for key in ("rate", "frames", "memory")}
        shares = sorted(run["rate"] / alone["rate"] for run, alone in zip(runs, found["nobody"]))
        spread = f"{shares[0]:.3f} to {shares[-1]:.3f}"
        first = statistics.median(run["first_s"] for run in runs) if runs[0]["first_s"] else None
        print(f"{name:24}{middle['rate']:10.1f}{statistics.median(shares):11.3f}{spread:>16}{middle['frames']:10.1f}"
              f"{'' if first is None else f'{first:.2f} s':>13}{middle['memory'] / 1e6:7.0f} MB")
    if not options.seconds:
        print("the same hash in all" if len(hashes) == 1 else f"hashes differ: {hashes}")
    if options.fps:
        print(f"{frames_per_second(options):.1f} frames per second while it is turned in Chromium, without a GPU")
    sys.exit(len(hashes) != 1)


main()
