"""Chromium without a screen, driven by its DevTools protocol over a pipe: nothing to install beside the browser."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--disable-default-apps", "--remote-debugging-pipe", "--window-size=1280,800",
]
PATIENCE_S = 60  # for what a loaded machine does in a moment


class Browser:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="kiln-chromium-")
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        command = ["sh", "-c", 'exec "$0" "$@" 3<&{} 4>&{}'.format(to_browser, from_browser), CHROMIUM, *FLAGS,
                   "--user-data-dir=" + self.profile, "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._bytes, self._number, self._events = b"", 0, []

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self.profile, ignore_errors=True)

    def page(self, url, width=1280, height=800, before=None):
        """`before`: a script that runs ahead of the page's own."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session, target, url, width, height, before)

    def call(self, method, session=None, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self._read(until)
            if answer is None:
                raise TimeoutError(f"the browser does not answer {method}")
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._events.append(answer)

    def events(self, session):
        """All that came for a page so far."""
        while (event := self._read(time.monotonic())) is not None:
            self._events.append(event)
        return [event for event in self._events if event.get("sessionId") == session]

    def _read(self, until):
        while b"\0" not in self._bytes:
            ready, _, _ = select.select([self._from], [], [], max(0, until - time.monotonic()))
            if not ready:
                return None
            some = os.read(self._from, 1 << 16)
            if not some:
                raise RuntimeError("the browser has ended")
            self._bytes += some
        message, self._bytes = self._bytes.split(b"\0", 1)
        return json.loads(message)


class Page:
    def __init__(self, browser, session, target, url, width, height, before):
        self.browser, self.session, self.target = browser, session, target
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        if before:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.call("Page.navigate", url=url)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, expression):
        """Until the expression is true; its value."""
        until = time.monotonic() + PATIENCE_S
        while True:
            value = self.value(expression)
            if value:
                return value
            if time.monotonic() > until:
                raise TimeoutError(f"never true: {expression}; the page says {self.value('document.body.innerText')}; "
                                   f"errors: {self.errors()}")
            time.sleep(0.05)

    def errors(self):
        found = []
        for event in self.browser.events(self.session):
            what = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(what["exceptionDetails"].get("exception", {}).get("description", "an exception"))
            elif event["method"] == "Runtime.consoleAPICalled" and what["type"] in ("error", "assert"):
                found.append(str([argument.get("value") for argument in what["args"]]))
            elif event["method"] == "Log.entryAdded" and what["entry"]["level"] == "error":
                found.append(what["entry"]["text"])
        return found

    def asked(self):
        """The addresses that it has asked for."""
        return [event["params"]["request"]["url"] for event in self.browser.events(self.session)
                if event["method"] == "Network.requestWillBeSent"]

    def mouse(self, kind, x, y, buttons=1, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if buttons else "none",
                  buttons=buttons, clickCount=1, **more)

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def click_on(self, selector):
        self.value(f"document.querySelector({json.dumps(selector)}).click()")

    def drag(self, x, y, to_x, to_y, steps=5):
        self.mouse("mousePressed", x, y)
        for i in range(1, steps + 1):
            self.mouse("mouseMoved", x + (to_x - x) * i / steps, y + (to_y - y) * i / steps)
        self.mouse("mouseReleased", to_x, to_y)

    def key(self, key, shift=False):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0, text=key if len(key) == 1 and kind == "keyDown" else "")

    def choose(self, selector, value):
        self.value(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};"
                   " e.dispatchEvent(new Event('change')); })()")

    def screenshot(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def box(self, selector):
        return self.value(f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                          " return {x: b.x, y: b.y, width: b.width, height: b.height}; })()")
