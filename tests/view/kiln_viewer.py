"""The program with a page to look at: started, found by the URL that it prints, and ended."""

import http.cookiejar
import json
import os
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

KILN = os.environ["KILN_BINARY"]

FLAT = """mcs = {mcs}
temperature = 10
[lattice]
size = [60, 40]
[types.amber]
colour = "#f4a259"
volume = {{target = 60, lambda = 2}}
[types.teal]
colour = "#2a9d8f"
volume = {{target = 60, lambda = 2}}
act = {{lambda = 60, max = 8}}
[adhesion]
default = 4
[[initial]]
kind = "boxes"
types = {{amber = 1, teal = 1}}
box = [8, 8]
spacing = [10, 10]
[measure]
every = {every}
cells_every = {every}
[output]
lattice_every = {every}
"""

SPACE = """mcs = {mcs}
temperature = 10
[lattice]
size = [30, 26, 22]
[types.amber]
colour = "#f4a259"
volume = {{target = 150, lambda = 2}}
[types.teal]
colour = "#2a9d8f"
volume = {{target = 150, lambda = 2}}
[adhesion]
default = 4
[[initial]]
kind = "boxes"
types = {{amber = 1, teal = 1}}
box = [5, 5, 5]
spacing = [6, 6, 6]
[measure]
every = {every}
[output]
lattice_every = {snapshots}
"""


# Open MPI counts cores, asks who started it and looks for ssh.
MPI = os.environ | {"OMPI_MCA_plm": "isolated", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                    "OMPI_MCA_rmaps_base_oversubscribe": "1"}


class Program:
    """`kiln` with arguments, in so many processes; `url` is what it printed, at once or for find_url() to wait for."""

    def __init__(self, *arguments, processes=1, prints_url=True):
        self._folder, self._texts = tempfile.TemporaryDirectory(), None
        self._out, self._log = Path(self._folder.name) / "out", Path(self._folder.name) / "log"
        with open(self._out, "w") as out, open(self._log, "w") as log:
            launcher = ["mpirun", "-n", str(processes)] if processes > 1 else []
            self.process = subprocess.Popen([*launcher, KILN, *map(str, arguments)], stdout=out, stderr=log,
                                            stdin=subprocess.DEVNULL, env=MPI)
        if prints_url:
            self.find_url()

    def find_url(self):
        found = self.wait_for(r"(http://[^/\s]+)/\?token=\w+\n")
        self.url, self.address = found.group().strip(), found.group(1)

    @property
    def said(self):
        return self._log.read_text()

    def wait_for(self, words):
        """Until it has said that."""
        while (found := re.search(words, self.said)) is None:
            if self.process.poll() is not None and re.search(words, self.said) is None:
                raise RuntimeError(f"it ended without {words}: {self.said}")
            time.sleep(0.02)
        return found

    def end(self):
        """Ends it as a signal does, or finds it ended; its standard output and error."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.wait()

    def wait(self):
        self.process.wait()
        if self._texts is None:
            self._texts = self._out.read_text(), self.said
            self._folder.cleanup()
        return self._texts


class Client:
    """Asks as a page does, without a browser."""

    def __init__(self, program):
        self.address = program.address
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.opener.open(program.url).read()

    def cookie(self):
        """As a header has it."""
        return "; ".join(f"{one.name}={one.value}" for one in self.cookies)

    def get(self, path):
        return self.opener.open(self.address + path).read()

    def status(self):
        return json.loads(self.get("/api/status"))

    def steer(self, **command):
        """Status and text of the answer."""
        request = urllib.request.Request(self.address + "/api/steer", json.dumps(command).encode(),
                                         {"Content-Type": "application/json", "Origin": self.address})
        try:
            with self.opener.open(request) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()


class Folder(tempfile.TemporaryDirectory):
    """With models in it."""

    def model(self, text, **numbers):
        file = Path(self.name) / "model.toml"
        file.write_text(text.format(**numbers))
        return file

    def __truediv__(self, name):
        return Path(self.name) / name
