"""`sim.view()`, `kiln.run(view=True)` and `RunFolder.view()`: what pages are given, who is let in, and when it ends."""

import contextlib
import gc
import http.client
import http.cookiejar
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import types
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np

import kiln
from support import crawlers

PATIENCE_S = 60  # for what a loaded machine does in a moment


@contextlib.contextmanager
def quiet():
    with contextlib.redirect_stderr(io.StringIO()) as said:
        yield said


def has_viewer():
    try:
        with quiet(), kiln.Simulation(crawlers()).view():
            return True
    except kiln.Failure as failure:
        assert "cpp-httplib" in str(failure), failure
        return False


HAS_VIEWER = has_viewer()


class Client:
    """Asks as a page does."""

    def __init__(self, view):
        self.address = view.url.split("/?")[0]
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.opener.open(view.url).read()

    def get(self, path):
        with self.opener.open(self.address + path) as answer:
            return answer.read()

    def json(self, path):
        return json.loads(self.get(path))

    def frame(self, **wish):
        """The header of a frame, and the volumes of its cells; waits for it."""
        query = "&".join(f"{key}={value}" for key, value in wish.items())
        until = time.monotonic() + PATIENCE_S
        while not (frame := self.get("/api/frame?" + query)):
            assert time.monotonic() < until, f"no frame came: {wish}"
        (length,) = struct.unpack_from("<I", frame, 4)
        header = json.loads(frame[8 : 8 + length])
        (volumes,) = [block for block in header["blocks"] if block["name"] == "volume"]
        header["volumes"] = np.frombuffer(frame, "<f4", volumes["count"], 8 + length + volumes["offset"])
        return header

    def wait_for(self, state):
        until = time.monotonic() + PATIENCE_S
        while (status := self.json("/api/status"))["state"] != state:
            assert time.monotonic() < until, status
            time.sleep(0.01)
        return status


class Watcher(threading.Thread):
    """A page that looks at a simulation all the time."""

    def __init__(self, view, field):
        super().__init__()
        self.client, self.field, self.mcs, self.states, self.ends = Client(view), field, [], set(), False
        self.start()

    def run(self):
        number = 0
        while not self.ends:
            with self.client.opener.open(f"{self.client.address}/api/frame?after={number}&field={self.field}") as answer:
                if answer.status == 200:
                    number, frame = int(answer.headers["X-Frame"]), answer.read()
                    (length,) = struct.unpack_from("<I", frame, 4)
                    self.mcs.append(json.loads(frame[8 : 8 + length])["mcs"])
            self.states.add(self.client.json("/api/status")["state"])

    def end(self):
        self.ends = True
        self.join()


def refusal(url, method="GET", body=None, **headers):
    request = urllib.request.Request(url, body, {key.replace("_", "-"): value for key, value in headers.items()}, method=method)
    try:
        urllib.request.urlopen(request).read()
    except urllib.error.HTTPError as error:
        return error.code
    return None


class NoViewer(unittest.TestCase):
    def test_is_said(self):
        if HAS_VIEWER:
            self.skipTest("this build has one")
        for act in (lambda: kiln.Simulation(crawlers()).view(), lambda: kiln.run(crawlers(), "nowhere", view=True)):
            with self.assertRaisesRegex(kiln.Failure, "this build has no viewer: install libcpp-httplib-dev and rebuild."):
                act()
        self.assertFalse(Path("nowhere").exists())


class Viewing(unittest.TestCase):
    def setUp(self):
        self.said = self.enter(quiet())
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            os.environ.pop(name, None)

    def enter(self, context):
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def view(self, sim, **options):
        view = sim.view(**options)
        self.addCleanup(view.close)
        return view


@unittest.skipUnless(HAS_VIEWER, "this build has no viewer")
class Views(Viewing):
    def test_watchers_change_no_bit(self):
        def play(sim):
            sim.run(150, progress=False)
            for mcs in sim.steps(60, every=2, progress=False):
                if mcs % 20 == 0:
                    sim.set(temperature=10 + mcs % 3)
            with sim.edit() as edit:
                edit.lattice[:5] = 0
            sim.run(100, progress=False)
            return sim.hash, sim.measures["energy"].tolist()

        model = crawlers(**{"lattice.size": [180, 140], "initial.0.count": 40})
        for engine in ({"engine": "serial"}, {"threads": 2}):
            expected = play(kiln.Simulation(model, **engine))
            sim = kiln.Simulation(model, **engine)
            watchers = [Watcher(self.view(sim), field) for field in ("", "act", "")]
            seen = play(sim)
            for watcher in watchers:
                while 310 not in watcher.mcs:
                    time.sleep(0.01)
                watcher.end()
                self.assertEqual(watcher.mcs, sorted(watcher.mcs))
            self.assertEqual(seen, expected)

    def test_frames_come_while_it_runs_and_while_it_does_not(self):
        sim = kiln.Simulation(crawlers())
        client = Client(self.view(sim))
        self.assertEqual(client.wait_for("idle")["mcs"], 0)
        first = client.frame()
        self.assertEqual((first["mcs"], first["nx"], first["ny"]), (0, 90, 70))
        np.testing.assert_array_equal(first["volumes"][1:], sim.cells.volume[1:])
        # The same again is none, another field is.
        with client.opener.open(client.address + "/api/frame?after=1") as answer:
            self.assertEqual(answer.status, 204)
        self.assertEqual(client.frame(field="act")["field"], "act")
        seen = set()
        sim.run(40, every=10, call=lambda s: seen.add(Client(s.view()).json("/api/status")["mcs"]), progress=False)
        self.assertEqual(seen, {10, 20, 30, 40})
        frame = client.frame(field="act", after=2)
        self.assertEqual(frame["mcs"], 40)
        np.testing.assert_array_equal(frame["volumes"][1:], sim.cells.volume[1:])
        self.assertTrue(client.get("/api/picture?view=slice&colour=cell").startswith(b"\x89PNG"))

    def test_plots_are_of_what_the_simulation_records(self):
        sim, bare = kiln.Simulation(crawlers()), kiln.Simulation(crawlers(), record=False)
        client = Client(self.view(sim))
        self.assertNotIn("Speed", client.json("/api/plots")["titles"])  # of one row
        sim.run(60, progress=False)
        until = time.monotonic() + PATIENCE_S
        while "Speed" not in client.json("/api/plots")["titles"]:
            self.assertLess(time.monotonic(), until)
        self.assertIn(b"<svg", client.get("/api/plot?title=Speed"))
        bare.run(60, progress=False)
        self.assertEqual(Client(self.view(bare)).json("/api/plots")["titles"], [])

    def test_a_run_is_told_from_what_stands_still(self):
        sim = kiln.Simulation(crawlers(**{"lattice.size": [300, 300]}), threads=1)
        watcher = Watcher(self.view(sim), "")
        while "running" not in watcher.states:
            sim.run(100, progress=False)
        while sim.mcs not in watcher.mcs or "idle" not in watcher.states:
            time.sleep(0.01)
        watcher.end()
        status = watcher.client.json("/api/status")
        # The model has 60 MCS, which it has left behind.
        self.assertEqual((status["state"], status["mcs"], status["total"]), ("idle", sim.mcs, sim.mcs))

    def test_changes_show_though_no_mcs_has_passed(self):
        model = crawlers().changed({"tick": {"every": 1}})
        sim = kiln.Simulation(model)
        client = Client(self.view(sim))
        before = client.frame()
        self.assertEqual(before["cells"], 13)
        first, second = sim.divide([3])
        after = client.frame(after=1)
        self.assertEqual((after["mcs"], after["cells"]), (0, 15))
        self.assertEqual(after["volumes"][3], 0)
        self.assertEqual(after["volumes"][first[0]] + after["volumes"][second[0]], before["volumes"][3])
        with sim.edit() as edit:
            edit.lattice[...] = 0
        empty = client.frame(after=2)
        self.assertEqual(empty["volumes"][1:].sum(), 0)
        sim.set({"types.cell.colour": "#123456"})
        self.assertNotEqual(client.frame(after=3)["colours_by_type"], empty["colours_by_type"])
        self.assertIn("#123456", [kind["colour"] for kind in client.json("/api/about")["types"]])

    def test_reads_and_runs_of_other_threads_go_on_beside_watchers(self):
        sim = kiln.Simulation(crawlers(), threads=1)
        watcher = Watcher(self.view(sim), "act")
        stop = threading.Event()

        def read():
            while not stop.is_set():
                assert sim.lattice.shape == (70, 90) and len(sim.cells.table()) == 12

        reader = threading.Thread(target=read)
        reader.start()
        for _ in range(100):
            sim.run(3, progress=False)
            sim.set(temperature=11)
        stop.set()
        reader.join()
        while 300 not in watcher.mcs:
            time.sleep(0.01)
        watcher.end()

    def test_it_is_opened_and_closed_beside_runs_and_reads(self):
        sim = kiln.Simulation(crawlers(), threads=1)
        stop, answers, wrong = threading.Event(), [], []

        def look():
            with contextlib.suppress(OSError, http.client.HTTPException):  # it has just been closed
                client = Client(sim.view())
                answers.append(len(client.get("/api/frame?field=act")))

        def play():
            sim.run(2, progress=False)
            sim.set(temperature=11)

        def again_and_again(work):
            try:
                while not stop.is_set():
                    work()
            except Exception as error:  # noqa: BLE001
                wrong.append(error)

        workers = [threading.Thread(target=again_and_again, args=(work,)) for work in (look, look, play)]
        for worker in workers:
            worker.start()
        opened = set()
        while len(opened) < 20:
            view = sim.view()
            opened.add(view.url)
            seen = len(answers)
            while len(answers) == seen and not wrong:
                time.sleep(0.001)
            view.close()
            if wrong:
                break
        stop.set()
        for worker in workers:
            worker.join()
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(len(answers), 20)
        sim.view().close()

    def test_two_at_once_have_two_ports(self):
        sims = [kiln.Simulation(crawlers(), seed=seed) for seed in (1, 2)]
        views = [self.view(sim) for sim in sims]
        self.assertNotEqual(*(view.url.split("/?")[0] for view in views))
        clients = [Client(view) for view in views]
        sims[0].run(5, progress=False)
        self.assertEqual([client.json("/api/status")["mcs"] for client in clients], [5, 0])
        for sim, client in zip(sims, clients):
            np.testing.assert_array_equal(client.frame()["volumes"][1:], sim.cells.volume[1:])
        # Neither lets the other's in.
        token = views[1].url.split("token=")[1]
        self.assertEqual(refusal(f"{clients[0].address}/?token={token}"), 403)

    def test_once_open_it_is_the_same_until_it_is_closed(self):
        sim = kiln.Simulation(crawlers())
        with sim.view() as view:
            self.assertIs(sim.view(), view)
            self.assertEqual(self.said.getvalue().count(view.url), 1)
            self.assertEqual(repr(view), f"<kiln.View {view.url}>")
            port = int(view.url.split(":")[2].split("/")[0])
            self.assertIs(sim.view(port=port), view)
            with self.assertRaisesRegex(kiln.UserError, f"port is {port - 1}, but the viewer is open at http.*; close it first."):
                sim.view(port=port - 1)
            with self.assertRaisesRegex(kiln.UserError, f"cannot listen at 127.0.0.1, port {port}"):
                kiln.Simulation(crawlers()).view(port=port)
            client = Client(view)
        self.assertFalse(view.is_open)
        self.assertIn("closed", repr(view))
        view.close()
        with self.assertRaises(urllib.error.URLError):
            client.get("/api/status")
        sim.run(5, progress=False)
        again = self.view(sim, port=port)
        self.assertIsNot(again, view)
        self.assertEqual(Client(again).frame()["mcs"], 5)
        self.assertEqual(refusal(view.url), 403)  # another token

    def test_it_is_closed_while_a_run_goes_on(self):
        sim = kiln.Simulation(crawlers(), threads=1)
        view = self.view(sim)
        client = Client(view)
        runner = threading.Thread(target=lambda: sim.run(400, progress=False))
        runner.start()
        client.frame(after=1)
        view.close()
        with self.assertRaises(urllib.error.URLError):
            client.get("/api/status")
        runner.join()
        self.assertEqual(sim.mcs, 400)

    def test_it_goes_with_the_simulation(self):
        sim = kiln.Simulation(crawlers())
        view = sim.view()
        client = Client(view)
        client.frame()
        del sim
        gc.collect()
        self.assertFalse(view.is_open)
        with self.assertRaises(urllib.error.URLError):
            client.get("/api/status")

    def test_a_program_ends_with_pages_open(self):
        program = textwrap.dedent("""
            import os, sys, threading, urllib.request
            import kiln
            from support import crawlers
            sims = [kiln.Simulation(crawlers(), engine="serial") for _ in range(3)]
            kept = [sim.view() for sim in sims]
            sys.modules["keeps it"] = sims                   # to the very end
            first = urllib.request.urlopen(kept[0].url)
            cookie = first.headers["Set-Cookie"].split(";")[0]
            def look():
                while True:
                    urllib.request.urlopen(urllib.request.Request(kept[0].url.split("?")[0] + "api/frame?after=5", headers={"Cookie": cookie}))
            threading.Thread(target=look, daemon=True).start()
            if os.fork() == 0:                               # has none of the threads
                sims.clear()
                sys.exit()
            assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
            sims[0].run(20)
            print(sims[0].mcs)
        """)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "20\n"), done.stderr)

    def test_strangers_are_refused(self):
        sim = kiln.Simulation(crawlers())
        view = self.view(sim)
        client = Client(view)
        address, token = client.address, view.url.split("token=")[1]
        (cookie,) = [c for handler in client.opener.handlers if hasattr(handler, "cookiejar") for c in handler.cookiejar]
        cookie = f"{cookie.name}={cookie.value}"
        self.assertEqual(refusal(address + "/api/status"), 403)
        self.assertEqual(refusal(f"{address}/?token={'0' * 48}"), 403)
        self.assertEqual(refusal(f"{address}/page/app.js"), 403)
        self.assertIsNone(refusal(address + "/api/status", Cookie=cookie))
        self.assertEqual(refusal(address + "/api/status", Cookie=cookie, Host="evil.example"), 403)
        self.assertEqual(refusal(address + "/api/status", Cookie=cookie, Origin="http://127.0.0.1:1"), 403)
        self.assertEqual(refusal(address + "/api/status", X_Kiln_Token=token), 403)
        # Even its own page changes nothing.
        own = {"Cookie": cookie, "Origin": address, "Content_Type": "application/json"}
        for command in ({"do": "pause"}, {"do": "set", "set": "temperature=1"}):
            self.assertEqual(refusal(address + "/api/steer", "POST", json.dumps(command).encode(), **own), 403)
        self.assertEqual((sim.mcs, sim.model["temperature"]), (0, 10))

    def test_mistakes_are_told(self):
        sim = kiln.Simulation(crawlers())
        for options, sentence in [
            ({"port": 0}, "port is 0, but must be an integer between 1 and 65535."),
            ({"port": "a"}, "port is 'a', but must be"),
            ({"listen": 5}, "listen is 5, but must be a text."),
            ({"listen": ""}, "listen is '', but must be an address of this machine."),
            ({"listen": "203.0.113.9"}, "cannot listen at 203.0.113.9"),
            ({"height": 3}, "height is 3, but must be an integer between 100"),
        ]:
            with self.subTest(options), self.assertRaises(kiln.UserError) as caught:
                sim.view(**options)
            self.assertTrue(str(caught.exception).startswith(sentence), caught.exception)
        self.assertEqual(self.said.getvalue(), "")
        self.view(sim, listen="0.0.0.0")
        self.assertIn("warning: others in the network can reach it", self.said.getvalue())


@unittest.skipUnless(HAS_VIEWER, "this build has no viewer")
class Folders(Viewing):
    def setUp(self):
        super().setUp()
        self.folder = Path(self.enter(tempfile.TemporaryDirectory()))

    def test_a_run_with_a_folder_is_shown_and_then_its_saved_states(self):
        model = crawlers(**{"output.lattice_every": 20})
        alone = kiln.run(model, self.folder / "alone", progress=False)
        clients, states = [], []

        def look(sim):
            if not clients:
                view = sim.view()
                self.assertIn(view.url, self.said.getvalue())
                clients.append(Client(view))
            states.append(clients[0].json("/api/status"))

        done = kiln.run(model, self.folder / "watched", every=10, call=look, progress=False, view=True)
        self.assertEqual(done.record["hash"], alone.record["hash"])
        self.assertEqual({status["state"] for status in states}, {"running"})
        after = clients[0].json("/api/status")
        self.assertEqual((after["state"], after["snapshots"]), ("folder", [0, 20, 40, 60]))
        self.assertEqual(clients[0].frame(mcs=20)["mcs"], 20)
        view = done.view()
        self.assertEqual(view.url.split("/?")[0], clients[0].address)
        del done
        gc.collect()
        view.close()

    def test_a_run_that_fails_closes_its_viewer(self):
        views = []

        def fail(sim):
            views.append(sim.view())
            1 / 0

        with self.assertRaises(ZeroDivisionError):
            kiln.run(crawlers(), self.folder / "run", every=10, call=fail, progress=False, view=True)
        self.assertEqual(Client(views[0]).json("/api/status")["mcs"], 10)
        views.pop().close()

    def test_without_view_a_run_says_how(self):
        def look(sim):
            with self.assertRaisesRegex(kiln.UserError, "belongs to a run: kiln.run shows it, with view=True"):
                sim.view()

        kiln.run(crawlers(), self.folder / "run", every=60, call=look, progress=False)

    def test_saved_states_of_a_folder(self):
        kiln.run(crawlers(**{"output.lattice_every": 30}), self.folder / "run", progress=False)
        run = kiln.RunFolder(self.folder / "run")
        with run.view() as view:
            self.assertIs(run.view(), view)
            client = Client(view)
            self.assertEqual(client.json("/api/status")["snapshots"], [0, 30, 60])
            np.testing.assert_array_equal(client.frame(mcs=30)["volumes"],
                                          np.bincount(run.snapshot(30).ravel()) * (np.arange(13) > 0))
        with self.assertRaises(kiln.UserError):
            kiln.RunFolder(self.folder / "nowhere").view()


@unittest.skipUnless(HAS_VIEWER, "this build has no viewer")
class Notebooks(Viewing):
    """As IPython's kernel looks to Kiln."""

    def setUp(self):
        super().setUp()
        self.shown = []
        modules = {"IPython": types.ModuleType("IPython"), "IPython.display": types.ModuleType("IPython.display")}
        modules["IPython"].get_ipython = lambda: types.SimpleNamespace(has_trait=lambda name: name == "kernel")
        modules["IPython.display"].display = lambda what, **_: self.shown.append(what)
        modules["IPython.display"].HTML = str
        before = {name: sys.modules.get(name) for name in modules}
        sys.modules.update(modules)

        def restore():
            for name, module in before.items():
                sys.modules.pop(name)
                if module is not None:
                    sys.modules[name] = module

        self.addCleanup(restore)

    def test_the_page_is_part_of_the_notebook(self):
        sim = kiln.Simulation(crawlers())
        view = self.view(sim, height=450)
        self.assertEqual(self.said.getvalue(), "")  # the value of the cell says it
        text = view._repr_html_()
        self.assertIn(f'src="{view.url}"', text)
        self.assertIn('height="450"', text)
        self.assertIn("ssh -L", text)
        self.assertNotEqual(text, view._repr_html_())  # two cells, two frames
        view.close()
        self.assertIn("closed", view._repr_html_())

    def test_only_there_the_token_opens_what_a_frame_asks_for(self):
        sim = kiln.Simulation(crawlers())
        view = self.view(sim)
        address, token = view.url.split("/?")[0], view.url.split("token=")[1]
        self.assertIsNone(refusal(address + "/page/app.js"))
        self.assertIsNone(refusal(address + "/api/status", X_Kiln_Token=token))
        self.assertEqual(refusal(address + "/api/status", X_Kiln_Token=token[:-1] + "g"), 403)
        self.assertEqual(refusal(address + "/api/status", X_Kiln_Token=token, Origin="http://localhost:8888"), 403)
        self.assertEqual(refusal(address + "/api/status"), 403)
        self.assertEqual(refusal(address + "/"), 403)
        policy = urllib.request.urlopen(view.url).headers["Content-Security-Policy"]
        self.assertRegex(policy, r"frame-ancestors [^;]*http://localhost:\*")
        self.assertNotRegex(policy, r"frame-ancestors [^;]*(\*:|'none'| \* )")

    def test_a_run_shows_itself_when_it_begins(self):
        with tempfile.TemporaryDirectory() as folder:
            seen = []
            done = kiln.run(crawlers(), Path(folder) / "run", every=60, progress=False, view=True,
                            call=lambda sim: seen.append((sim.mcs, self.shown == [sim.view()])))
            self.assertEqual(seen, [(60, True)])
            done.view().close()


if __name__ == "__main__":
    unittest.main()
