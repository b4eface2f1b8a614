"""The program with a page to look at: started, found by the URL that it prints, and ended."""

import http.cookiejar
import json
import os
import re
import subprocess
import tempfile
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


class Program:
    """`kiln` with arguments; `url` is what it printed."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([KILN, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, text=True)
        self.said = ""
        for line in self.process.stderr:
            self.said += line
            if found := re.search(r"(http://[^/]+)/\?token=\w+", line):
                self.url, self.address = found.group(), found.group(1)
                return
        raise RuntimeError(f"no URL came: {self.said}")

    def end(self):
        """Ends it as Ctrl-C does, or finds it ended; its standard output and error."""
        if self.process.poll() is None:
            self.process.terminate()
        out, err = self.process.communicate()
        return out, self.said + err

    def wait(self):
        out, err = self.process.communicate()
        return out, self.said + err


class Client:
    """Asks as a page does, without a browser."""

    def __init__(self, program):
        self.address = program.address
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.opener.open(program.url).read()

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
