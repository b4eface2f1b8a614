"""`kiln run --view` and `kiln view` as programs: what they print, when they end, that bits stay."""

import contextlib
import fcntl
import json
import os
import pty
import re
import shutil
import socket
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

from kiln_viewer import FLAT, KILN, Client, Folder, Program


def kiln(*arguments):
    return subprocess.run([KILN, *map(str, arguments)], capture_output=True, text=True)


@contextlib.contextmanager
def hold(folder):
    """As a run that goes on there does."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(opened, fcntl.LOCK_EX)
    yield
    os.close(opened)


def lines_of(terminal):
    """What is written there, until all that write have closed it."""
    while True:
        try:
            yield os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            return


class WatchedRuns(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.cleanup)

    def start(self, *arguments, **how):
        program = Program(*arguments, **how)
        self.addCleanup(program.end)
        return program

    def test_watchers_change_no_bit(self):
        model = self.folder.model(FLAT, mcs=3000, every=500)
        alone = kiln("run", model, "--out", self.folder / "alone", "--json")
        program = self.start("run", model, "--view", "--out", self.folder / "watched", "--json")
        clients = [Client(program) for _ in range(3)]
        number = 0
        while clients[0].status()["state"] == "running":
            for client in clients:
                with client.opener.open(f"{program.address}/api/frame?after={number}&field=act") as answer:
                    number = int(answer.headers.get("X-Frame", number)) if answer.status == 200 else number
        out, said = program.wait()
        self.assertEqual(json.loads(out)["hash"], json.loads(alone.stdout)["hash"], said)
        self.assertEqual(program.process.returncode, 0)
        self.assertGreater(number, 1)

    @unittest.skipIf(shutil.which("mpirun") is None, "there is no mpirun")
    def test_a_run_of_several_processes_is_watched(self):
        model = self.folder.model(FLAT, mcs=1500, every=500)
        alone = kiln("run", model, "--out", self.folder / "alone", "--json")
        program = self.start("run", model, "--view", "--out", self.folder / "watched", "--json", processes=2)
        client, frames = Client(program), set()
        while client.status()["state"] == "running":
            with client.opener.open(f"{program.address}/api/frame?after={max(frames, default=0)}&field=act") as answer:
                if answer.status == 200:
                    frames.add(int(answer.headers["X-Frame"]))
                    frame = answer.read()
                    self.assertIn(b'"cells": 25,', frame)
                    self.assertIn(b'"field": "act"', frame)
        self.assertEqual(client.status()["state"], "ended")
        out, said = program.wait()
        self.assertEqual(program.process.returncode, 0, said)
        self.assertEqual(json.loads(out)["hash"], json.loads(alone.stdout)["hash"], said)
        self.assertGreater(len(frames), 1)

    def test_a_run_that_is_not_watched_ends_by_itself(self):
        model = self.folder.model(FLAT, mcs=20, every=10)
        program = self.start("run", model, "--view", "--out", self.folder / "run")
        program.wait()
        self.assertEqual(program.process.returncode, 0)

    def test_steered_runs_are_repeated(self):
        model = self.folder.model(FLAT, mcs=4000, every=1000)
        program = self.start("run", model, "--view", "--steer", "--out", self.folder / "steered", "--json")
        client = Client(program)
        self.assertEqual(client.steer(do="pause")[0], 200)
        paused = client.status()
        self.assertEqual(paused["state"], "paused")
        self.assertEqual(client.steer(do="set", set="temperature=25")[0], 200)
        self.assertEqual(client.steer(do="step")[0], 200)
        self.assertEqual(client.steer(do="set", set="types.teal.act.lambda=10")[0], 200)
        self.assertEqual(client.status()["mcs"], paused["mcs"] + 1)
        self.assertEqual(client.steer(do="set", set="temperature=-4"),
                         (400, "--set temperature=-4: temperature is -4, but must lie between 0 and 1e+09 (energy).\n"))
        self.assertEqual(client.steer(do="go")[0], 200)
        steered = json.loads(program.wait()[0])
        changes = [json.loads(line) for line in (self.folder / "steered/steering.jsonl").read_text().splitlines()]
        self.assertEqual([change["set"] for change in changes], ["temperature=25", "types.teal.act.lambda=10"])
        again = kiln("run", "--replay", self.folder / "steered", "--out", self.folder / "again", "--json")
        self.assertEqual(json.loads(again.stdout)["hash"], steered["hash"], again.stderr)
        never = kiln("run", model, "--out", self.folder / "never", "--json")
        self.assertNotEqual(json.loads(never.stdout)["hash"], steered["hash"])

    def test_a_steered_run_that_was_stopped_goes_on_and_is_repeated(self):
        model = self.folder.model(FLAT, mcs=4000, every=1000)
        options = ("run", model, "--view", "--steer", "--out", self.folder / "steered", "--json")
        program = self.start(*options)
        client = Client(program)
        client.steer(do="pause")
        client.steer(do="set", set="temperature=25")
        program.end()
        self.assertEqual(program.process.returncode, 128 + 15)
        alone = kiln("run", model, "--out", self.folder / "steered", "--resume")
        self.assertEqual(alone.returncode, 2)
        self.assertIn("was steered by kiln run --steer, and can only go on with what steered it.", alone.stderr)
        program = self.start(*options, "--resume")
        client = Client(program)
        client.steer(do="set", set="temperature=5")
        steered = json.loads(program.wait()[0])
        changes = (self.folder / "steered/steering.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["set"] for line in changes], ["temperature=25", "temperature=5"])
        again = kiln("run", "--replay", self.folder / "steered", "--out", self.folder / "again", "--json")
        self.assertEqual(json.loads(again.stdout)["hash"], steered["hash"], again.stderr)

    def test_a_run_that_began_with_another_ones_state_is_repeated_from_there(self):
        model = self.folder.model(FLAT, mcs=4000, every=1000)
        kiln("run", model, "--mcs", 500, "--out", self.folder / "first")
        steer = ("--view", "--steer", "--out", self.folder / "steered", "--json")
        program = self.start("run", model, "--from", self.folder / "first", *steer)
        client = Client(program)
        self.assertEqual(client.steer(do="set", set="temperature=25")[0], 200)
        steered = json.loads(program.wait()[0])
        again = kiln("run", "--replay", self.folder / "steered", "--out", self.folder / "again", "--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads(again.stdout)["hash"], steered["hash"])
        self.assertIn(f"the same hash as {self.folder / 'steered'}", again.stderr)
        record = json.loads((self.folder / "again/run.json").read_text())
        self.assertEqual(record["from"], json.loads((self.folder / "steered/run.json").read_text())["from"])
        # A repetition can be repeated.
        third = kiln("run", "--replay", self.folder / "again", "--out", self.folder / "third", "--json")
        self.assertEqual(json.loads(third.stdout)["hash"], steered["hash"], third.stderr)
        # The state is another one now, and then gone; elsewhere it does as well.
        (self.folder / "first").rename(self.folder / "moved")
        kiln("run", model, "--mcs", 600, "--out", self.folder / "first")
        replay = ("run", "--replay", self.folder / "steered", "--out", self.folder / "fourth")
        other = kiln(*replay)
        self.assertEqual(other.returncode, 2, other.stderr)
        self.assertIn("began with the state of MCS 500 with hash", other.stderr)
        self.assertIn("holds that of MCS 600 with hash", other.stderr)
        shutil.rmtree(self.folder / "first")
        gone = kiln(*replay)
        self.assertEqual(gone.returncode, 2, gone.stderr)
        self.assertIn("which is not there any more; give the folder or the checkpoint that has it as --from.", gone.stderr)
        self.assertFalse((self.folder / "fourth").exists())
        given = kiln(*replay, "--from", self.folder / "moved", "--json")
        self.assertEqual(json.loads(given.stdout)["hash"], steered["hash"], given.stderr)

    def test_a_repetition_is_compared_with_what_it_repeats(self):
        model = self.folder.model(FLAT, mcs=300, every=100)
        program = self.start("run", model, "--view", "--steer", "--engine", "serial", "--out", self.folder / "steered",
                             "--json")
        steered = json.loads(program.wait()[0])
        self.assertEqual((self.folder / "steered/steering.jsonl").read_text(), "", "it was changed")
        replay = ("run", "--replay", self.folder / "steered", "--out", self.folder / "again", "--force", "--json")
        again = kiln(*replay)
        self.assertEqual((again.returncode, json.loads(again.stdout)["hash"]), (0, steered["hash"]), again.stderr)
        for options, why in [(("--mcs", 200), "has no hash of MCS 200 to compare with"),
                             (("--seed", 5), "had another model, so its hash is not compared"),
                             (("--engine", "threads"), "had another schedule, so its hash is not compared"),
                             (("--from", self.folder / "steered", "--mcs", 300), "had another first state")]:
            other = kiln(*replay, *options)
            self.assertEqual(other.returncode, 0, other.stderr)
            self.assertIn(why, other.stderr)
        record = self.folder / "steered/run.json"
        record.write_text(record.read_text().replace(steered["hash"], "0123456789abcdef"))
        differs = kiln(*replay)
        self.assertEqual(differs.returncode, 1, differs.stderr)
        self.assertIn(f"its hash is {steered['hash']}, and was 0123456789abcdef there", differs.stderr)

    def test_changes_after_the_checkpoint_that_a_run_goes_back_to_are_gone(self):
        model = self.folder.model(FLAT, mcs=4000, every=1000)
        options = ("run", model, "--view", "--steer", "--out", self.folder / "steered", "--json")
        program = self.start(*options)
        client = Client(program)
        client.steer(do="pause")
        client.steer(do="set", set="temperature=25")
        program.end()
        with open(self.folder / "steered/steering.jsonl", "a") as changes:
            changes.write('{"mcs": 3999, "set": "temperature=1"}\n')
        program = self.start(*options, "--resume")
        steered = json.loads(program.wait()[0])
        again = kiln("run", "--replay", self.folder / "steered", "--out", self.folder / "again", "--json")
        self.assertEqual((again.returncode, json.loads(again.stdout)["hash"]), (0, steered["hash"]), again.stderr)

    def test_without_steer_it_is_only_watched(self):
        model = self.folder.model(FLAT, mcs=1000000, every=100000)
        client = Client(self.start("run", model, "--view", "--out", self.folder / "run"))
        for command in ({"do": "pause"}, {"do": "set", "set": "temperature=1"}):
            code, text = client.steer(**command)
            self.assertEqual(code, 403)
            self.assertIn("--steer", text)
        self.assertEqual(client.status()["state"], "running")

    def test_a_finished_folder_is_shown_until_it_is_ended(self):
        model = self.folder.model(FLAT, mcs=40, every=10)
        kiln("run", model, "--out", self.folder / "run")
        program = self.start("view", self.folder / "run")
        client = Client(program)
        status = client.status()
        self.assertEqual((status["state"], status["snapshots"]), ("folder", [0, 10, 20, 30, 40]))
        self.assertTrue(client.get("/api/frame?mcs=20").startswith(b"KILN"))
        program.end()
        self.assertEqual(program.process.returncode, 0)

    def test_a_folder_without_a_state_is_shown_from_the_first_on(self):
        kiln("run", self.folder.model(FLAT, mcs=40, every=10), "--out", self.folder / "run")
        saved, model = self.folder / "run/lattice.h5", self.folder / "run/model.toml"
        saved.rename(self.folder / "aside.h5")
        with hold(self.folder / "run"):
            program = self.start("view", self.folder / "run", prints_url=False)
            program.wait_for("has saved no state yet; the page comes with the first.")
            self.assertNotIn("http://", program.said)
            (self.folder / "aside.h5").rename(saved)
            program.find_url()
            self.assertEqual(Client(program).status()["snapshots"], [0, 10, 20, 30, 40])
            program.end()
            saved.unlink()
            program = self.start("view", self.folder / "run", prints_url=False)
            program.wait_for("has saved no state yet")
            program.end()
            self.assertEqual(program.process.returncode, 0)
            model.write_text(model.read_text().replace("lattice_every = 10", "lattice_every = 0"))
            never = kiln("view", self.folder / "run")
            self.assertEqual(never.returncode, 2, never.stderr)
            self.assertIn("saves no states on its way (lattice_every = 0): `kiln run --view` shows", never.stderr)
        ended = kiln("view", self.folder / "run")
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn("so there are no saved states.", ended.stderr)

    def test_a_browser_gets_an_address_that_opens_one_page(self):
        opened, part, program = self.folder / "opened", self.folder / "part", self.folder / "bin/xdg-open"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nprintf %s "$1" > "{part}"\nmv "{part}" "{opened}"\n')
        program.chmod(0o755)
        environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "DISPLAY": ":0"}
        terminal, its_end = pty.openpty()
        model = self.folder.model(FLAT, mcs=1000000, every=100000)
        process = subprocess.Popen([KILN, "run", model, "--view", "--out", self.folder / "run"], env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its_end)
        os.close(its_end)
        said = []
        reader = threading.Thread(target=lambda: said.extend(lines_of(terminal)))
        reader.start()
        while not opened.exists() and process.poll() is None:
            time.sleep(0.02)
        url = opened.read_text()
        with urllib.request.urlopen(url) as page:
            self.assertIn(b"<title>Kiln</title>", page.read())
        with self.assertRaises(urllib.error.HTTPError) as refused, urllib.request.urlopen(url):
            pass
        self.assertEqual(refused.exception.code, 403)
        process.terminate()
        process.wait()
        reader.join()
        os.close(terminal)
        printed = re.search(r"http://[^/\s]+/\?token=\w+", "".join(said)).group()
        self.assertEqual(printed.split("?")[0], url.split("?")[0])
        self.assertNotEqual(printed, url, "it stands in a command line, which others can read")

    def test_bad_options_are_refused_in_a_sentence(self):
        model = self.folder.model(FLAT, mcs=40, every=10)
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        port = taken.getsockname()[1]
        out = ("--out", self.folder / "run")
        for arguments, sentence in [
            (("run", model, *out, "--steer"), "--steer, --port and --listen go with --view."),
            (("run", model, *out, "--port", "8000"), "--steer, --port and --listen go with --view."),
            (("run", model, *out, "--view", "--listen", ""), '--listen is "", but must be an address of this machine.'),
            (("view", self.folder.name, "--listen", ""), '--listen is "", but must be an address of this machine.'),
            (("run", model, *out, "--view", "--port", "0"), "--port is 0, but must be an integer between 1 and 65535."),
            (("run", model, *out, "--view", "--port", port), f"cannot listen at 127.0.0.1, port {port}"),
            (("run", "--replay", self.folder.name, *out), "it is no run that was steered"),
            (("view", self.folder / "nowhere"), "nowhere"),
        ]:
            refused = kiln(*arguments)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn(sentence, refused.stderr)

    def test_others_are_warned_of(self):
        model = self.folder.model(FLAT, mcs=1000000, every=100000)
        program = self.start("run", model, "--view", "--listen", "0.0.0.0", "--out", self.folder / "run")
        program.wait_for("warning: others in the network can reach it")
        program.wait_for("ssh -L")


if __name__ == "__main__":
    unittest.main()
