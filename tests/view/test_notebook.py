"""What `sim.view()` leaves in a notebook: the page in a frame of a page of another site, in a real browser."""

import contextlib
import http.server
import io
import os
import re
import threading
import time
import unittest
from unittest import mock

import browser

try:
    import kiln
except ImportError:
    kiln = None

MODEL = {
    "temperature": 10,
    "lattice": {"size": [60, 40]},
    "types": {"amber": {"colour": "#f4a259", "volume": {"target": 60, "lambda": 2}},
              "teal": {"colour": "#2a9d8f", "volume": {"target": 60, "lambda": 2}, "act": {"lambda": 60, "max": 8}}},
    "adhesion": {"default": 4},
    "initial": [{"kind": "boxes", "types": {"amber": 1, "teal": 1}, "box": [8, 8], "spacing": [10, 10]}],
}
SHOWS = "document.body?.dataset.frame"
# Pixels of the slice by what they look like.
PIXELS = """(() => {
  const c = document.querySelector('#slice'), p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  let amber = 0, teal = 0;
  for (let i = 0; i < p.length; i += 4) { amber += p[i] > p[i + 2] * 1.4; teal += p[i + 1] > p[i] * 1.4; }
  return {amber, teal};
})()"""


class Notebook:
    """A server of one page, which holds what a cell has left."""

    def __init__(self, text):
        page = f"<!doctype html><title>Notebook</title><link rel='icon' href='data:,'><h1>A notebook</h1><div>{text}</div>".encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200 if self.path == "/" else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(page if self.path == "/" else b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Frame:
    """The frame in a page: its scripts' world, in the page's process or in one of its own."""

    def __init__(self, page):
        self.page = page
        page.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)

    def value(self, expression):
        session, context = self.world()
        more = {} if context is None else {"contextId": context}
        answer = self.page.browser.call("Runtime.evaluate", session, expression=expression, returnByValue=True,
                                        awaitPromise=True, **more)
        return None if "exceptionDetails" in answer else answer["result"].get("value")

    def world(self):
        events = self.page.browser.events(self.page.session)
        gone = {e["params"]["sessionId"] for e in events if e["method"] == "Target.detachedFromTarget"}
        attached = [e["params"]["sessionId"] for e in events if e["method"] == "Target.attachedToTarget"
                    and e["params"]["targetInfo"]["type"] == "iframe" and e["params"]["sessionId"] not in gone]
        if attached:
            return attached[-1], None
        main = self.page.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        worlds = [e["params"]["context"] for e in events if e["method"] == "Runtime.executionContextCreated"]
        inner = [world["id"] for world in worlds if world["auxData"].get("isDefault") and world["auxData"]["frameId"] != main]
        return self.page.session, inner[-1] if inner else None

    def wait_for(self, expression):
        return browser.Page.wait_for(self, expression)

    def errors(self):
        return self.page.errors()


@unittest.skipIf(kiln is None, "there is no Python package")
@unittest.skipIf(browser.CHROMIUM is None and not os.environ.get("CI"), "there is no Chromium (Debian's chromium)")
class Notebooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if browser.CHROMIUM is None:
            raise RuntimeError("there is no Chromium, which these tests need: install chromium")
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def view(self, in_notebook=True):
        sim = kiln.Simulation(MODEL)
        with mock.patch("kiln.view._in_notebook", return_value=in_notebook), contextlib.redirect_stderr(io.StringIO()):
            view = sim.view()
        self.addCleanup(view.close)
        return sim, view

    def notebook(self, text, host):
        notebook = Notebook(text)
        self.addCleanup(notebook.close)
        page = self.browser.page(f"http://{host}:{notebook.port}/")
        self.addCleanup(page.close)
        page.wait_for("document.querySelector('h1')?.textContent === 'A notebook'")
        return page, Frame(page)

    def expect_cells(self, sim, frame):
        frame.wait_for(SHOWS)
        self.assertEqual(frame.value("window.self === window.top"), False)
        seen = frame.wait_for(f"(p => p.amber > 500 && p.teal > 500 && p)({PIXELS})")
        self.assertGreater(seen["amber"] + seen["teal"], 2000)
        self.assertEqual(frame.value("document.querySelector('#state').textContent"), "idle")
        # It follows Python, whose thread this is.
        sim.run(30, progress=False)
        frame.wait_for("document.body.dataset.mcs === '30'")
        with sim.edit() as edit:
            edit.lattice[...] = 0
        frame.wait_for(f"(p => p.amber + p.teal === 0)({PIXELS})")

    def test_a_frame_of_the_same_name_shows_cells(self):
        sim, view = self.view()
        page, frame = self.notebook(view._repr_html_(), "127.0.0.1")
        self.expect_cells(sim, frame)
        self.assertEqual(frame.value("location.hostname"), "127.0.0.1")
        self.assertEqual(page.errors(), [])

    def test_a_page_of_localhost_has_a_frame_of_localhost(self):
        sim, view = self.view()
        page, frame = self.notebook(view._repr_html_(), "localhost")
        frame.wait_for("location.hostname === 'localhost'")
        self.expect_cells(sim, frame)

    def test_a_frame_of_another_site_needs_no_cookie_and_no_script_around_it(self):
        sim, view = self.view()
        text = re.sub("<script>.*?</script>", "", view._repr_html_(), flags=re.S)
        page, frame = self.notebook(text, "localhost")
        self.expect_cells(sim, frame)
        self.assertEqual(frame.value("location.hostname"), "127.0.0.1")
        # The token alone lets it in.
        self.assertEqual(frame.value("fetch('/api/status').then(reply => reply.status)"), 403)
        # The page around it reads nothing of it.
        tries = f"fetch('{view.url.split('?')[0]}api/status', {{headers: {{'X-Kiln-Token': '{view.url.split('=')[1]}'}}}})"
        self.assertEqual(page.value(f"{tries}.then(() => 'read', () => 'refused')"), "refused")

    def test_colours_of_sites_come_into_a_frame_that_stands_still(self):
        sim, view = self.view()
        page, frame = self.notebook(view._repr_html_(), "127.0.0.1")
        frame.wait_for(SHOWS)
        frame.value("(e => { e.value = 'act'; e.dispatchEvent(new Event('change')); })(document.querySelector('#colour'))")
        frame.wait_for("import('/page/app.js').then(({app}) => app.scene.frame.field_name === 'act')")
        self.assertEqual(sim.mcs, 0)

    def test_no_other_viewer_is_shown_in_a_frame(self):
        sim, view = self.view(in_notebook=False)
        self.assertNotIn("iframe", view._repr_html_())
        page, frame = self.notebook(f'<iframe src="{view.url}"></iframe>', "127.0.0.1")
        until = time.monotonic() + browser.PATIENCE_S
        while not any("frame-ancestors" in error or "X-Frame-Options" in error for error in page.errors()):
            self.assertLess(time.monotonic(), until, page.errors())
            time.sleep(0.05)
        self.assertFalse(frame.value(SHOWS))
        self.assertTrue(view.is_open)
        del sim


if __name__ == "__main__":
    unittest.main()
