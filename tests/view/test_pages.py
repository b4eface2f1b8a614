"""The page in a real browser: what it shows, and what hands and keys do to it."""

import base64
import csv
import math
import os
import subprocess
import unittest

import browser
from kiln_viewer import FLAT, KILN, SPACE, Folder, Program

# The page's own objects: a module is there once, whoever asks for it.
APP = "(await import('/page/app.js')).app"
DRAWN = "Number(document.querySelector('#stage').dataset.drawn ?? 0) > 0"
# Numbers of pixels of the 3-D view by what they look like: amber, teal, and the background.
PIXELS = """(() => {
  const gl = document.querySelector('#solid').getContext('webgl2'), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
  const p = new Uint8Array(w * h * 4), found = {amber: 0, teal: 0, all: w * h, sum: 0};
  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, p);
  for (let i = 0; i < p.length; i += 4) {
    if (p[i] > p[i + 2] * 1.4) ++found.amber;
    if (p[i + 1] > p[i] * 1.4) ++found.teal;
    found.sum = (found.sum * 31 + p[i] + 3 * p[i + 1]) % 1000003;
  }
  return found;
})()"""


MANY = """mcs = {mcs}
temperature = 10
[lattice]
size = [1000, 840]
[types.amber]
volume = {{target = 4, lambda = 2}}
[adhesion]
default = 4
[[initial]]
kind = "boxes"
type = "amber"
box = [2, 2]
spacing = [2, 2]
"""


# What a ray through a pixel meets first in the labels of a frame: all of its crossings with planes between sites in their
# order, and the site in the middle between two of them. None: nothing. Where two planes are crossed within `near` sites of each
# other before that, rounding (32 bits in the shader, some 1e-5 sites at 100 sites from the eye) decides which side the ray
# passes: such a ray is "unsure".
def first_met(eye, way, low, high, is_there, near=1e-3):
    length = math.sqrt(sum(w * w for w in way))
    way = [w / length for w in way]
    inside = [sorted(((low[i] - eye[i]) / way[i], (high[i] - eye[i]) / way[i])) for i in range(3)]
    begin, end = max(a for a, _ in inside), min(b for _, b in inside)
    if abs(end - begin) < near:
        return "unsure"
    if begin > end:
        return None
    crossed = sorted(t for i in range(3) for plane in range(low[i], high[i] + 1)
                     if begin - 1e-9 <= (t := (plane - eye[i]) / way[i]) <= end + 1e-9)
    for t, after in zip(crossed, crossed[1:]):
        if after - t < near:
            return "unsure"
        site = tuple(math.floor(eye[i] + way[i] * (t + after) / 2) for i in range(3))
        if is_there(site):
            return site
    return None


def run_js(body):
    return f"(async () => {{ const app = {APP}; {body} }})()"


@unittest.skipIf(browser.CHROMIUM is None and not os.environ.get("CI"), "there is no Chromium (Debian's chromium)")
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if browser.CHROMIUM is None:
            raise RuntimeError("there is no Chromium, which these tests need: install chromium")
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.cleanup)

    def open(self, *arguments, **how):
        """The page of a program; at the end of the test it has said no error and asked nobody else."""
        program = Program(*arguments)
        self.addCleanup(program.end)
        page = self.browser.page(program.url, **how)
        self.addCleanup(page.close)
        self.addCleanup(lambda: self.assertEqual(page.errors(), []))
        self.addCleanup(lambda: self.assertEqual(
            [url for url in page.asked() if not url.startswith((program.address, "data:", "blob:"))], []))
        page.wait_for(f"document.body?.dataset.frame && {DRAWN}")
        return program, page

    def finished(self, text, **numbers):
        model = self.folder.model(text, **numbers)
        subprocess.run([KILN, "run", model, "--out", self.folder / "run"], check=True, capture_output=True)
        return self.folder / "run"

    def test_a_run_in_space_is_shown_and_turns(self):
        model = self.folder.model(SPACE, mcs=1000000, every=50, snapshots=0)
        _, page = self.open("run", model, "--view", "--steer", "--out", self.folder / "run")
        self.assertEqual(page.value("document.querySelector('#title').textContent"), "model")
        # Nothing moves but the view.
        page.click_on("#go")
        page.wait_for("document.querySelector('#state').textContent === 'paused'")
        page.wait_for(run_js("return app.scene.frame.mcs === app.status.mcs"))
        page.wait_for(run_js("return performance.now() - app.scene.moving > 300"))  # with all pixels
        page.value(run_js("app.scene.draw(); await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));"))
        seen = page.wait_for(f"(p => p.amber > 2000 && p.teal > 2000 && p)({PIXELS})")
        self.assertLess(seen["amber"] + seen["teal"], 0.9 * seen["all"])
        box = page.box("#solid")
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.drag(*middle, middle[0] + 120, middle[1] + 40)
        page.wait_for(f"({PIXELS}).sum !== {seen['sum']}")
        page.key("r")
        page.wait_for(f"({PIXELS}).sum === {seen['sum']}")
        page.key("+")
        page.wait_for(f"(p => p.amber + p.teal > {(seen['amber'] + seen['teal']) * 1.1})({PIXELS})")
        page.key("r")
        # Without a type it is not there; a cut takes some away.
        page.click_on("#types [data-type=amber]")
        page.wait_for(f"(p => p.amber < 50 && p.teal > 1000)({PIXELS})")
        page.click_on("#types [data-type=amber]")
        page.click_on("#cut-axis [data-axis='2']")
        page.wait_for(f"(p => p.amber > 500 && p.sum !== {seen['sum']})({PIXELS})")

    def test_a_click_in_space_chooses_the_cell_that_is_seen(self):
        model = self.folder.model(SPACE, mcs=1000000, every=50, snapshots=0)
        _, page = self.open("run", model, "--view", "--steer", "--out", self.folder / "run")
        page.click_on("#go")
        page.wait_for("document.querySelector('#state').textContent === 'paused'")
        page.wait_for(run_js("return app.scene.frame.mcs === app.status.mcs"))
        box = page.box("#solid")
        chosen, first = set(), None
        for right, down in ((0.5, 0.5), (0.42, 0.45), (0.58, 0.52), (0.5, 0.65)):
            x, y = box["x"] + box["width"] * right, box["y"] + box["height"] * down
            page.click(x, y)
            shown = page.wait_for("document.querySelector('#cell dl')?.dataset.cell")
            chosen.add(shown)
            first = first or shown
            # The pixel that was clicked has the colour of what is chosen, which no other cell has.
            page.wait_for(f"""(() => {{
              const c = document.querySelector('#solid'), gl = c.getContext('webgl2'), p = new Uint8Array(4);
              gl.readPixels(c.width * {right}, c.height * (1 - {down}), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, p);
              return p[0] > 3 * p[1] && p[2] > 2 * p[1] && p[0] > 60;
            }})()""")
            page.key("Escape")
        self.assertGreater(len(chosen), 1)
        # Alone there is nothing but it; hidden it is not there.
        page.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for("!document.querySelector('#cell-buttons').hidden")
        page.click_on("#cell-alone")
        page.wait_for(f"(p => p.teal === 0)({PIXELS})")
        page.click_on("#cells-show")
        page.wait_for(f"(p => p.teal > 1000)({PIXELS})")
        page.click_on("#cell-hide")
        page.wait_for("document.querySelector('#cells-show').hidden === false && document.querySelector('#cell-buttons').hidden")
        self.assertTrue(page.value(run_js(
            f"return app.scene.frame.ids.every((id, i) => (id === {first}) === (id !== 0 && app.scene.numbers[i] === 0))")))

    def test_charts_and_figures_follow_and_a_pause_stops_them(self):
        model = self.folder.model(FLAT, mcs=100000000, every=50)
        _, page = self.open("run", model, "--view", "--steer", "--out", self.folder / "run")
        line = "document.querySelector('.chart .line')?.getAttribute('d')"
        before = page.wait_for(f"{line}?.includes('L') && {line}")
        page.wait_for(f"{line} !== '{before}'")
        self.assertIn("MCS/s", page.wait_for("document.querySelector('[data-figure=rate]')?.textContent"))
        page.key(" ")
        page.wait_for("document.querySelector('#state').textContent === 'paused'")
        mcs = page.value(run_js("return (await (await fetch('/api/status')).json()).mcs"))
        page.key("s")
        page.wait_for(run_js(f"return (await (await fetch('/api/status')).json()).mcs === {mcs + 1}"))
        page.wait_for(f"document.body.dataset.mcs === '{mcs + 1}'")
        page.value("document.querySelector('#value').value = '17'")
        page.click_on("#numbers-form button")
        page.wait_for(f"document.querySelector('#answer').textContent === 'temperature is 17 from MCS {mcs + 1} on.'")
        page.value("document.querySelector('#value').value = '-17'")
        page.click_on("#numbers-form button")
        page.wait_for("document.querySelector('#answer').textContent.includes('must lie between')")
        # What a server refuses is in the log of a browser, too; this one was meant.
        page.browser._events = [e for e in page.browser._events if "400" not in str(e)]
        page.errors = lambda errors=page.errors: [e for e in errors() if "400" not in e]
        page.key(" ")
        page.wait_for(f"Number(document.body.dataset.mcs) > {mcs + 1}")

    def test_charts_are_added_closed_and_lit(self):
        run = self.finished(FLAT, mcs=40, every=5)
        _, page = self.open("view", run)
        titles = "[...document.querySelectorAll('.chart')].map(chart => chart.dataset.title).join()"
        page.wait_for(f"{titles} === 'Speed,Cells,Interfaces,Energy' && document.querySelectorAll('.chart > svg').length === 4")
        for title in ("Speed", "Interfaces"):
            self.assertEqual(page.value(f"document.querySelector('[data-title=\"{title}\"] .title').textContent"), title)
        with open(run / "measures.csv") as file:
            last = list(csv.DictReader(file))[-1]
        value = page.value("document.querySelector('[data-title=Speed] .value').textContent")
        self.assertAlmostEqual(float(value), float(last["speed_um_per_min"]), delta=0.01 * float(value))
        page.choose("#add-chart", "Cell volume")
        page.wait_for(f"{titles} === 'Speed,Cells,Interfaces,Energy,Cell volume'")
        page.wait_for("document.querySelectorAll('[data-title=\"Cell volume\"] .line').length > 0")
        page.click_on("[data-title=Speed] button")
        page.wait_for(f"{titles} === 'Cells,Interfaces,Energy,Cell volume'")
        # Every part has the colours of the theme, not its own.
        parts = {"title": "fill", "tick": "fill", "grid": "stroke", "axis": "stroke", "line.series-0": "stroke",
                 "band.series-0": "fill", "line.series-1": "stroke", "key.series-1": "stroke"}
        seen = []
        for theme in ("light", "dark"):
            while page.value("document.documentElement.dataset.theme") != theme:
                page.key("t")
            seen.append({part: page.value(f"getComputedStyle(document.querySelector('.chart .{part}')).{kind}")
                         for part, kind in parts.items()})
        for part in parts:
            self.assertNotEqual(seen[0][part], seen[1][part], part)
        self.assertEqual(seen[1]["title"], page.value("getComputedStyle(document.body).color"))

    def test_a_line_in_the_charts_tells_which_state_is_seen(self):
        run = self.finished(FLAT, mcs=40, every=10)
        _, page = self.open("view", run)
        mark = "document.querySelector('[data-title=Energy] .mark')?.getBBox().x"
        page.wait_for("document.querySelectorAll('.chart > svg').length === 4")
        self.assertIsNone(page.value(mark))
        ends = page.value("(b => [b.x, b.x + b.width])(document.querySelector('[data-title=Energy] .line').getBBox())")
        seek = "(t => {{ t.value = {}; t.dispatchEvent(new Event('input')); }})(document.querySelector('#timeline'))"
        for index in (1, 3, 0, 4):
            page.value(seek.format(index))
            expected = ends[0] + (ends[1] - ends[0]) * index / 4
            page.wait_for(f"Math.abs({mark} - {expected}) < 0.3")
        # However many states are passed, the last one is marked.
        for index in (0, 1, 2, 3, 2):
            page.value(seek.format(index))
        page.wait_for(f"Math.abs({mark} - {(ends[0] + ends[1]) / 2}) < 0.3")

    def test_saved_states_are_those_of_the_run(self):
        run = self.finished(FLAT, mcs=40, every=10)
        _, page = self.open("view", run)
        page.wait_for("document.body.dataset.mcs === '40'")
        page.value("(t => { t.value = 0; t.dispatchEvent(new Event('input')); })(document.querySelector('#timeline'))")
        page.wait_for("document.body.dataset.mcs === '0'")
        page.key(".")
        page.wait_for("document.body.dataset.mcs === '10'")
        for axis, mcs in (("z", 10), ("z", 0)):
            if mcs == 0:
                page.key(",")
                page.wait_for("document.body.dataset.mcs === '0'")
            self.expect_same_picture(page, run, mcs)
        # A click on the centre of a box chooses its cell.
        with open(run / "cells.csv") as file:
            rows = [row for row in csv.DictReader(file) if row["mcs"] == "0"]
        box = page.box("#slice")
        for row in rows[:: len(rows) // 5]:
            place = page.value(run_js("return app.scene.slice.place()"))
            scale = box["width"] / page.value("document.querySelector('#slice').width")
            page.click(box["x"] + (place["left"] + (float(row["x"]) + 0.5) * place["scale"]) * scale,
                       box["y"] + (place["top"] + (float(row["y"]) + 0.5) * place["scale"]) * scale)
            page.wait_for(f"document.querySelector('#cell dl')?.dataset.cell === '{row['id']}'")
            text = page.value("document.querySelector('#cell').innerText")
            self.assertIn(row["type"], text)
            self.assertIn(row["volume"], text)

    def expect_same_picture(self, page, run, mcs):
        """Every site of a cell has the colour that `kiln render` gives it."""
        page.wait_for(run_js("return app.scene.isFilled"))
        file = self.folder / "own.png"
        subprocess.run([KILN, "render", run, "--mcs", str(mcs), "--width", "60", "--no-borders", "--decoration", "none",
                        "--frame", "lattice", "--out", file], check=True, capture_output=True)
        own = base64.b64encode(file.read_bytes()).decode()
        wrong = page.value(run_js(f"""
          const image = new Image();
          image.src = 'data:image/png;base64,{own}';
          await image.decode();
          const canvas = Object.assign(document.createElement('canvas'), {{width: 60, height: 40}});
          const context = canvas.getContext('2d');
          context.drawImage(image, 0, 0);
          const expected = context.getImageData(0, 0, 60, 40).data, slice = app.scene.slice;
          const shown = slice.buffer.getContext('2d').getImageData(0, 0, slice.buffer.width, slice.buffer.height).data;
          const fine = slice.buffer.width / 60, wrong = [], cells = new Set();
          for (let y = 0; y < 40; ++y) for (let x = 0; x < 60; ++x) {{
            const id = app.scene.frame.ids[slice.index(x, y)];
            if (id === 0) continue;
            cells.add(id);
            const at = ((y * fine + (fine >> 1)) * slice.buffer.width + x * fine + (fine >> 1)) * 4;
            for (let c = 0; c < 3; ++c) if (shown[at + c] !== expected[(y * 60 + x) * 4 + c]) wrong.push([x, y]);
          }}
          return {{wrong: wrong.slice(0, 5), cells: cells.size}};"""))
        self.assertEqual(wrong["wrong"], [])
        self.assertGreater(wrong["cells"], 10)

    def test_colours_slices_and_light(self):
        run = self.finished(SPACE, mcs=10, every=10, snapshots=5)
        _, page = self.open("view", run)
        for name in ("cell", "volume", "perimeter", "type"):
            page.choose("#colour", name)
            page.wait_for(f"(p => p.sum !== 0)({PIXELS})")
        self.assertFalse(page.value("document.querySelector('#legend').hidden === false"))
        page.choose("#colour", "volume")
        page.wait_for("document.querySelector('#legend').hidden === false")
        for key, label in (("2", "x = 15"), ("3", "y = 13"), ("4", "z = 11")):
            page.key(key)
            page.wait_for(f"document.querySelector('#position-label').textContent === '{label}'")
            page.wait_for("!document.querySelector('#slice').hidden")
            page.key("1")
        page.key("4")
        page.key("]")
        page.wait_for("document.querySelector('#position-label').textContent === 'z = 12'")
        # Drawn by the program, every site.
        page.key("p")
        page.wait_for("document.querySelector('#picture-box').open && document.querySelector('#picture-image').naturalWidth > 500")
        page.value("document.querySelector('#picture-box').close()")
        first = page.value("document.documentElement.dataset.theme")
        page.key("t")
        self.assertNotEqual(page.value("document.documentElement.dataset.theme"), first)
        page.key("?")
        page.wait_for("document.querySelector('#help').open")

    def test_numbers_of_very_many_cells_come_when_they_are_shown(self):
        few = "return !app.scene.frame.all_numbers && !app.scene.frame.columns.perimeter"
        saved = self.finished(MANY, mcs=1)
        live = ["run", self.folder / "model.toml", "--mcs", 1000000, "--view", "--steer", "--out", self.folder / "live"]
        for what, how in (("saved", ["view", saved]), ("live", live)):
            with self.subTest(what):
                _, page = self.open(*how)
                page.wait_for(run_js(few))
                if what == "live":
                    page.click_on("#go")
                    page.wait_for("document.querySelector('#state').textContent === 'paused'")
                page.value(run_js("app.panel.setColour('perimeter')"))
                page.wait_for(run_js("return app.scene.frame.columns.perimeter && app.scene.colours.range?.[1] > 0"))
                page.value(run_js("app.panel.setColour('volume')"))
                page.wait_for(run_js("return app.scene.colours.range?.[1] > 0"))
                page.value(run_js("app.choose(5)"))
                page.wait_for("[...document.querySelectorAll('#cell dt')].some(dt => dt.textContent === 'perimeter')")

    def test_a_finished_run_becomes_its_saved_states(self):
        model = self.folder.model(FLAT, mcs=2000, every=500)
        program, page = self.open("run", model, "--view", "--out", self.folder / "run")
        page.wait_for("document.querySelector('#state').textContent === 'saved states'")
        page.wait_for("document.body.dataset.mcs === '2000'")
        page.value("(t => { t.value = 1; t.dispatchEvent(new Event('input')); })(document.querySelector('#timeline'))")
        page.wait_for("document.body.dataset.mcs === '500'")
        # When its page has gone, so does the program.
        page.call("Page.navigate", url="about:blank")
        program.wait()
        self.assertEqual(program.process.returncode, 0)

    def test_a_colour_that_saved_states_lack_gives_way_to_types(self):
        model = self.folder.model(SPACE, mcs=4000, every=500, snapshots=0)
        _, page = self.open("run", model, "--view", "--steer", "--out", self.folder / "run")
        page.click_on("#go")
        page.wait_for("document.querySelector('#state').textContent === 'paused'")
        options = "[...document.querySelector('#colour').options].map(option => option.value).join()"
        self.assertEqual(page.value(options), "type,cell,volume,perimeter,speed")
        page.choose("#colour", "speed")
        page.wait_for("document.querySelector('#legend').hidden === false")
        page.wait_for(f"(p => p.teal < 50)({PIXELS})")
        page.click_on("#go")
        page.wait_for("document.querySelector('#state').textContent === 'saved states'")
        page.wait_for(f"{options} === 'type,cell,volume,perimeter'")
        self.assertEqual(page.value("document.querySelector('#colour').value"), "type")
        self.assertTrue(page.value("document.querySelector('#legend').hidden"))
        page.wait_for(f"(p => p.amber > 1000 && p.teal > 1000)({PIXELS})")
        # Without any values cells have the colours of their types.
        self.assertEqual(page.value(run_js("""
          const {colouring} = await import('/page/colours.js'), {type} = app.scene.frame.columns;
          const {palette, byCell} = colouring(app.scene.frame, app.about, {...app.scene.look, colour: 'age', hiddenTypes: new Set()});
          const hex = n => '#' + [...palette.slice(3 * n, 3 * n + 3)].map(v => v.toString(16).padStart(2, '0')).join('');
          return [...type].findIndex((t, cell) => cell > 0 && hex(byCell[cell]) !== app.about.types[t].colour);""")), -1)

    def test_nothing_lies_beyond_the_edges(self):
        for text, name in ((SPACE, "space"), (FLAT, "flat")):
            model = self.folder.model(text, mcs=1000000, every=50, snapshots=0)
            _, page = self.open("run", model, "--view", "--steer", "--out", self.folder / name)
            page.wait_for("document.querySelector('.chart svg') !== null && document.querySelector('[data-figure=MCS]') !== null")
            if name == "space":
                page.key("2")
                page.choose("#colour", "volume")
            for width, height in ((700, 600), (1280, 800), (1920, 1080)):
                with self.subTest(f"{name} {width}x{height}"):
                    page.resize(width, height)
                    page.wait_for(f"innerWidth === {width}")
                    self.assertEqual(page.value("""[...document.body.querySelectorAll('*')].filter(e => {
                      const box = e.getBoundingClientRect();
                      if (e.matches('.segments') && e.scrollWidth > e.clientWidth) return true;
                      return box.width > 0 && !e.closest('svg') && (box.right > innerWidth + 0.5 || box.left < -0.5);
                    }).map(e => e.id || e.outerHTML.slice(0, 80))"""), [])
                    # What lies on the stage covers nothing else that does.
                    self.assertEqual(page.value("""(() => {
                      const seen = ['views', 'position-box', 'legend', 'note'].map(id => document.getElementById(id)).filter(e => !e.hidden);
                      const boxes = seen.map(e => [e.id, e.getBoundingClientRect()]), found = [];
                      for (const [a, p] of boxes) for (const [b, q] of boxes)
                        if (a < b && p.left < q.right && q.left < p.right && p.top < q.bottom && q.top < p.bottom) found.push(`${a} ${b}`);
                      return found;
                    })()"""), [])

    def test_the_first_view_has_all_of_the_tissue(self):
        run = self.finished(SPACE, mcs=1, every=1, snapshots=1)
        _, page = self.open("view", run)
        for width, height in ((1280, 800), (700, 600), (1920, 700), (600, 1100)):
            with self.subTest(f"{width}x{height}"):
                page.resize(width, height)
                page.wait_for(f"innerWidth === {width} && innerHeight === {height}")
                # How far from the edges the first pixels are that are not background, by the side of the canvas.
                page.value(run_js("app.scene.draw()"))
                margins = page.wait_for("""(() => {
                  const c = document.querySelector('#solid'), gl = c.getContext('webgl2'), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
                  if (w !== c.clientWidth || h !== c.clientHeight) return null;
                  const p = new Uint32Array(w * h), low = [w, h], high = [-1, -1];
                  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(p.buffer));
                  for (let y = 0, i = 0; y < h; ++y) for (let x = 0; x < w; ++x, ++i) if (p[i] !== p[0]) {
                    low[0] = Math.min(low[0], x); low[1] = Math.min(low[1], y);
                    high[0] = Math.max(high[0], x); high[1] = Math.max(high[1], y);
                  }
                  return high[0] < 0 ? null : [low[0] / w, 1 - (high[0] + 1) / w, low[1] / h, 1 - (high[1] + 1) / h];
                })()""")
                self.assertGreater(min(margins), 0.005)
                self.assertLess(min(margins), 0.15)

    def test_lost_graphics_come_back(self):
        run = self.finished(SPACE, mcs=10, every=10, snapshots=5)
        _, page = self.open("view", run)
        page.wait_for("document.body.dataset.mcs === '10'")
        # The foot takes its place when the status has come.
        page.wait_for(run_js("""const { canvas, coarse } = app.scene.solid;
            return document.querySelector('#figures').textContent.includes('time') && coarse === 1
              && canvas.height === canvas.clientHeight;"""))
        before = page.wait_for(f"(p => p.amber > 1000 && p.teal > 1000 && p)({PIXELS})")
        context = "document.querySelector('#solid').getContext('webgl2')"
        page.value(f"(window.loss = {context}.getExtension('WEBGL_lose_context')).loseContext()")
        page.wait_for("document.querySelector('#note-text').textContent.includes('lost its graphics')")
        self.assertTrue(page.value(f"{context}.isContextLost()"))
        # A saved state that comes meanwhile is the one that is seen then.
        page.key(",")
        page.wait_for("document.body.dataset.mcs === '5'")
        page.value("window.loss.restoreContext()")
        page.wait_for("document.querySelector('#note-text').textContent === ''")
        page.wait_for(f"(p => p.amber > 1000 && p.teal > 1000 && p.sum !== {before['sum']})({PIXELS})")
        page.key(".")
        page.wait_for("document.body.dataset.mcs === '10'")
        page.wait_for(f"({PIXELS}).sum === {before['sum']}")

    def test_without_webgl_there_are_slices(self):
        run = self.finished(SPACE, mcs=10, every=10, snapshots=5)
        for what, stub, words in (
                ("none", "const get = HTMLCanvasElement.prototype.getContext;"
                 "HTMLCanvasElement.prototype.getContext = function (kind, ...more) {"
                 " return kind === 'webgl2' ? null : get.call(this, kind, ...more); };", "this browser has no WebGL2"),
                ("small", "const get = WebGL2RenderingContext.prototype.getParameter;"
                 "WebGL2RenderingContext.prototype.getParameter = function (name) {"
                 " return name === this.MAX_3D_TEXTURE_SIZE ? 29 : get.call(this, name); };",
                 "an axis of 30 sites is shown, and this browser draws 29 at most")):
            with self.subTest(what):
                _, page = self.open("view", run, before=stub)
                self.assertIn(words, page.value("document.querySelector('#note-text').textContent"))
                self.assertTrue(page.value("document.querySelector('[data-view=solid]').disabled"))
                page.wait_for("document.querySelector('#position-label').textContent === 'z = 11'")
                page.key("1")
                page.key("f")
                page.key("2")
                page.wait_for("document.querySelector('#position-label').textContent === 'x = 15'")
                self.assertTrue(page.value(run_js(
                    "return app.scene.slice.canvas.clientWidth > 300 && app.scene.numbers.some(number => number > 0)")))

    def test_a_change_that_waits_says_so(self):
        model = self.folder.model(FLAT, mcs=1000000, every=50)
        _, page = self.open("run", model, "--view", "--steer", "--out", self.folder / "run")
        page.wait_for("document.querySelector('#numbers').options.length > 3")
        page.value("""window.own = window.fetch; window.fetch = (path, how) => path === '/api/steer'
          ? Promise.resolve(new Response('It will be done at the end of this MCS.\\n', {status: 202})) : window.own(path, how);""")
        page.value("document.querySelector('#value').value = '17'")
        page.click_on("#numbers-form button")
        page.wait_for("document.querySelector('#answer').textContent === 'It will be done at the end of this MCS.'")

    def test_a_run_that_does_not_answer_is_told(self):
        model = self.folder.model(FLAT, mcs=100000000, every=1000)
        _, page = self.open("run", model, "--view", "--out", self.folder / "run")
        state, said = "document.querySelector('#state').textContent", "document.querySelector('#note-text').textContent"
        page.wait_for(f"{state} === 'running'")
        answers = {
            # As through a dead tunnel: there is an answer neither to what was asked, nor to what is.
            "silence": "new Promise((_, fail) => how.signal?.addEventListener('abort', () => fail(how.signal.reason)))",
            "token": "Promise.resolve(new Response('Kiln asks for its token.\\n', {status: 403}))",
            "frames": "path.startsWith('/api/frame') ? Promise.resolve(new Response('Out of memory.\\n', {status: 500})) : own(path, how)",
        }
        told = {"silence": f"{state} === 'not reached' && {said} === ''",
                "token": f"{state} === 'refused' && {said}.includes('Kiln asks for its token.')",
                "frames": f"{state} === 'running' && {said} === 'Out of memory.'"}
        page.value("window.own = window.fetch.bind(window)")
        for what, answer in answers.items():
            with self.subTest(what):
                page.value(f"window.fetch = (path, how) => {answer}; 0")
                page.wait_for(told[what])
                page.value("window.fetch = window.own; 0")
                before = page.value("Number(document.body.dataset.mcs)")
                page.wait_for(f"{state} === 'running' && {said} === '' && Number(document.body.dataset.mcs) > {before}")

    def test_slices_are_filled_with_what_lies_there(self):
        run = self.finished(SPACE, mcs=3, every=3, snapshots=3)
        _, page = self.open("view", run)
        wrong = page.value(run_js("""
          const {Slice} = await import('/page/slice.js');
          // Neither axis as long as another; 255 colours that all differ, and borders that are theirs, darkened.
          const size = [7, 6, 5], sites = 210, ids = new Uint32Array(sites), numbers = new Uint8Array(sites), palette = new Uint8Array(768);
          let seed = 1;
          const random = most => (seed = (seed * 48271) % 2147483647) % most;
          for (let i = 0; i < sites; ++i) { ids[i] = random(5); numbers[i] = ids[i] === 0 ? 0 : 1 + random(255); }
          for (let i = 0; i < 256; ++i) palette.set([i, 255 - i, (i * 7) % 256], i * 3);
          const wrong = [];
          const slice = new Slice(document.createElement('canvas'));
          for (let axis = 0; axis < 3; ++axis) for (let position = 0; position < size[axis]; ++position) {
            slice.axis = axis;
            slice.show(size, numbers, palette, ids);
            slice.position = position;
            slice.fill(false);
            // By places alone: across and down the plane; z points up.
            const [across, down] = [[1, 2], [0, 2], [0, 1]][axis], w = size[across], h = size[down];
            const at = (column, row) => {
              const p = [0, 0, 0];
              p[axis] = position; p[across] = column; p[down] = down === 2 ? h - 1 - row : row;
              return p[0] + 7 * (p[1] + 6 * p[2]);
            };
            const is = (column, row, what) => column >= 0 && row >= 0 && column < w && row < h && what(ids[at(column, row)]);
            const fine = slice.buffer.width / w, shown = slice.buffer.getContext('2d').getImageData(0, 0, w * fine, h * fine).data;
            for (let row = 0; row < h; ++row) for (let column = 0; column < w; ++column) {
              const site = at(column, row), id = ids[site], other = one => one !== id, none = one => one === 0;
              for (let y = 0; y < fine; ++y) for (let x = 0; x < fine; ++x) {
                const border = id !== 0 && ((x === fine - 1 && is(column + 1, row, other)) || (y === fine - 1 && is(column, row + 1, other))
                  || (x === 0 && is(column - 1, row, none)) || (y === 0 && is(column, row - 1, none)));
                for (let c = 0; c < 3; ++c) {
                  const own = numbers[site] === 0 ? 255 : palette[numbers[site] * 3 + c] * (border ? 0.55 : 1);
                  if (shown[((row * fine + y) * w * fine + column * fine + x) * 4 + c] !== Math.floor(own)) wrong.push([axis, position, column, row, x, y]);
                }
              }
              if (slice.index(column, row) !== site) wrong.push([axis, position, column, row]);
            }
          }
          return wrong.slice(0, 5);"""))
        self.assertEqual(wrong, [])

    def test_a_state_that_is_saved_while_the_last_one_is_seen_is_followed(self):
        run = self.finished(FLAT, mcs=40, every=10)
        # What the run has saved so far, as the page is told.
        _, page = self.open("view", run, before="""const own = window.fetch; window.saved = 20;
          window.fetch = async (path, how) => {
            const reply = await own(path, how);
            if (path !== '/api/status') return reply;
            const status = await reply.json();
            return new Response(JSON.stringify({...status, snapshots: status.snapshots.filter(mcs => mcs <= window.saved)}));
          };""")
        page.wait_for("document.body.dataset.mcs === '20'")
        for key, mcs in ((",", 10), (".", 20)):
            page.key(key)
            page.wait_for(f"document.body.dataset.mcs === '{mcs}'")
        page.value("window.saved = 30")
        page.wait_for("document.body.dataset.mcs === '30' && document.querySelector('#timeline').value === '3'")
        # Another state that was chosen stays.
        page.key(",")
        page.wait_for("document.body.dataset.mcs === '20'")
        page.value("window.saved = 40")
        page.wait_for("document.querySelector('#timeline').max === '4'")
        page.wait_for("document.body.dataset.mcs === '20' && document.querySelector('#timeline').value === '2'")

    def test_the_keyboard_does_what_the_mouse_does(self):
        run = self.finished(SPACE, mcs=10, every=10, snapshots=5)
        _, page = self.open("view", run)
        page.wait_for("document.body.dataset.mcs === '10'")
        view = "return [app.scene.solid.turn, app.scene.solid.tilt, ...app.scene.solid.shift]"
        for key, shift, place, sign in (("ArrowLeft", False, 0, 1), ("ArrowRight", False, 0, -1), ("ArrowUp", False, 1, -1),
                                        ("ArrowDown", False, 1, 1), ("ArrowLeft", True, 2, 1), ("ArrowRight", True, 2, -1),
                                        ("ArrowUp", True, 3, -1), ("ArrowDown", True, 3, 1)):
            before = page.value(run_js(view))
            page.key(key, shift)
            moved = [b - a for a, b in zip(before, page.value(run_js(view)))]
            self.assertGreater(moved.pop(place) * sign, 0.05, (key, shift))
            self.assertEqual(moved, [0, 0, 0], (key, shift))
        page.click_on("#cut-axis [data-axis='0']")
        # After a click on a box, and with a menu at hand.
        page.click_on("#types [data-type=amber]")
        for focus in ("#types [data-type=amber]", "#colour", "#cut"):
            page.value(f"document.querySelector('{focus}').focus()")
            page.value(run_js("app.panel.setColour('type')"))
            page.key("c")
            page.wait_for("document.querySelector('#colour').value === 'cell'")
            # A menu and a slider keep arrows.
            turn = page.value(run_js(view))[0]
            page.key("ArrowLeft")
            self.assertEqual(page.value(run_js(view))[0] != turn, "data-type" in focus, focus)
        cut = "return app.scene.solid.cut"
        before = page.value(run_js(cut))
        page.key("f")
        self.assertEqual(page.value(run_js(cut))["flip"], not before["flip"])
        page.key("[")
        self.assertAlmostEqual(page.value(run_js(cut))["at"], before["at"] - 1 / 30)
        page.key("2")
        for key, place in (("[", 14), ("]", 15), ("]", 16)):
            page.key(key)
            page.wait_for(f"document.querySelector('#position-label').textContent === 'x = {place}'")
        # Without the panel the stage has its room.
        widths = "['#stage', 'body'].map(name => document.querySelector(name).clientWidth)"
        page.key("h")
        self.assertEqual(len(set(page.value(widths))), 1)
        page.key("h")
        self.assertEqual(len(set(page.value(widths))), 2)
        # What is written is no shortcut.
        page.value("document.querySelector('#cell-number').focus()")
        for key in ("c", "1"):
            page.key(key)
        self.assertEqual(page.value("[document.querySelector('#cell-number').value, document.querySelector('#colour').value]"), ["c1", "cell"])
        self.assertEqual(page.value(run_js("return app.scene.view")), "x")
        for number, row in (("7", "7"), ("100000", "7"), ("9", "9")):
            page.choose("#cell-number", number)
            page.wait_for(f"document.querySelector('#cell dl').dataset.cell === '{row}'")
            self.assertEqual(number in page.value("document.querySelector('#note-text').textContent"), number != row)
        page.key("Escape")
        page.wait_for("document.querySelector('#cell dl') === null")

    def test_slices_of_a_reduced_lattice_stand_where_their_sites_lie(self):
        (self.folder / "model.toml").write_text(SPACE.format(mcs=1, every=1, snapshots=1).replace("[30, 26, 22]", "[270, 260, 270]")
                                                .replace("[5, 5, 5]", "[60, 60, 60]").replace("[6, 6, 6]", "[66, 66, 66]"))
        subprocess.run([KILN, "run", self.folder / "model.toml", "--mcs", "0", "--out", self.folder / "run"], check=True, capture_output=True)
        _, page = self.open("view", self.folder / "run")
        self.assertEqual(page.value("document.querySelector('#note-text').textContent"), "every 2nd site along each axis is shown")
        page.key("4")
        page.value(run_js("app.scene.moveSlice(10); app.panel.showPosition()"))
        self.assertEqual(page.value("document.querySelector('#position-label').textContent"), "z = 21")
        page.key("p")
        page.wait_for("document.querySelector('#picture-box').open")
        self.assertIn("position=21", [url for url in page.asked() if "/api/picture" in url][-1])

    def test_a_changed_model_is_asked_for_again(self):
        run = self.finished(SPACE, mcs=10, every=10, snapshots=5)
        _, page = self.open("view", run, before="""const own = window.fetch; window.version = 1; window.fetch = async (path, how) => {
          const reply = await own(path, how);
          if (path !== '/api/status' && path !== '/api/about') return reply;
          const text = await reply.text(), isNew = window.version === 2;
          if (path === '/api/status') return new Response(JSON.stringify({...JSON.parse(text), about: window.version}));
          return new Response(isNew ? text.replaceAll('#2a9d8f', '#f4a259').replaceAll('teal', 'ochre') : text);
        };""")
        names = "[...document.querySelectorAll('#types input')].map(box => box.dataset.type).join()"
        page.wait_for(f"{names} === 'amber,teal'")
        page.value("window.version = 2")
        page.wait_for(f"{names} === 'amber,ochre'")
        self.assertEqual(page.value("getComputedStyle(document.querySelectorAll('#types .dot')[1]).backgroundColor"), "rgb(244, 162, 89)")
        self.assertEqual(page.value("[...document.querySelectorAll('#types input')].map(box => box.checked).join()"), "true,true")
        self.assertGreater(int(page.value("document.querySelectorAll('#types .count')[1].textContent")), 10)

    def test_the_page_is_told_to_those_who_do_not_see_it_and_read_by_those_who_do(self):
        model = self.folder.model(FLAT, mcs=100000000, every=50)
        _, page = self.open("run", model, "--view", "--steer", "--out", self.folder / "run")
        page.wait_for("document.querySelector('[data-figure=rate]') !== null && document.querySelectorAll('.chart').length > 2")
        page.value(run_js("app.choose(3)"))
        # Texts change where they stand, so that they can be selected, and a state that stays is not read out again.
        nodes = "[document.querySelector('#state').firstChild, document.querySelector('[data-figure=MCS]'), document.querySelector('#cell dl')]"
        page.value(f"window.nodes = {nodes}; 0")
        mcs = page.value("Number(document.body.dataset.mcs)")
        text = page.value("document.querySelector('[data-figure=MCS]').textContent")
        page.wait_for(f"Number(document.body.dataset.mcs) > {mcs} && document.querySelector('[data-figure=MCS]').textContent !== '{text}'")
        self.assertTrue(page.value(f"{nodes}.every((node, i) => node === window.nodes[i])"))
        progress = page.value("['valuenow', 'valuemax', 'valuetext'].map(name => document.querySelector('#progress').getAttribute(`aria-${name}`))")
        self.assertGreaterEqual(int(progress[0]), mcs)
        self.assertEqual(progress[1], "100000000")
        self.assertEqual(progress[2], f"MCS {int(progress[0]):,} of 100,000,000")
        # All that can be pressed has a name.
        self.assertEqual(page.value("""[...document.querySelectorAll('button')]
          .map(button => button.getAttribute('aria-label') ?? button.textContent).filter(name => !/[A-Za-z]/.test(name))"""), [])
        # A right click chooses nothing.
        page.key("Escape")
        box = page.box("#slice")
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2, "button": "right", "clickCount": 1}
        for kind, buttons in (("mousePressed", 2), ("mouseReleased", 0)):
            page.call("Input.dispatchMouseEvent", type=kind, buttons=buttons, **at)
        self.assertIsNone(page.value("document.querySelector('#cell dl')"))
        # Contrasts, by WCAG 2.1: 4.5 for texts, 3 for lines and edges of controls.
        for theme in ("dark", "light"):
            # It follows the system as long as none is chosen.
            page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
            page.wait_for(f"document.documentElement.dataset.theme === '{theme}'")
            found = page.value("""(() => {
              const canvas = Object.assign(document.createElement('canvas'), {width: 1, height: 1}), context = canvas.getContext('2d');
              const light = (...layers) => {
                for (const layer of layers) { context.fillStyle = layer; context.fillRect(0, 0, 1, 1); }
                return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map(v => v / 255)
                  .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
              };
              const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
              const style = getComputedStyle(document.documentElement), panel = style.getPropertyValue('--panel'), found = {};
              const badge = document.querySelector('#state'), was = badge.dataset.state;
              for (const state of ['running', 'paused', 'gone']) {
                badge.dataset.state = state;
                const own = getComputedStyle(badge);
                found[state] = contrast(light(own.color), light(panel, own.backgroundColor)) / 4.5;
              }
              badge.dataset.state = was;
              const quiet = getComputedStyle(document.querySelector('[data-figure=MCS] span')).color;
              found.quiet = contrast(light(quiet), light(panel)) / 4.5;
              for (let i = 0; i < 6; ++i) found[`ink ${i}`] = contrast(light(style.getPropertyValue(`--ink-${i}`)), light(panel)) / 3;
              for (const id of ['go', 'colour', 'value', 'cell-number'])
                found[id] = contrast(light(getComputedStyle(document.getElementById(id)).borderTopColor), light(panel)) / 3;
              return found;
            })()""")
            self.assertEqual({what: share for what, share in found.items() if share < 1}, {}, theme)
            self.assertEqual(len(found), 14)
        page.key("t")
        page.wait_for("document.documentElement.dataset.theme === 'dark'")
        for theme in ("dark", "light"):
            page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.assertEqual(page.value("document.documentElement.dataset.theme"), "dark")

    def test_the_view_in_space_is_the_labels_of_the_frame(self):
        run = self.finished(SPACE, mcs=20, every=20, snapshots=20)
        _, page = self.open("view", run)
        page.wait_for("document.body.dataset.mcs === '20'")
        size = (30, 26, 22)
        ids, types = page.value(run_js("return [[...app.scene.frame.ids], [...app.scene.frame.columns.type]]"))
        names = page.value(run_js("return app.about.types.map(type => type.name)"))

        def cell_at(site):
            return ids[(site[2] * size[1] + site[1]) * size[0] + site[0]]

        for turn, tilt, axis in ((0.6, 0.42, -1), (2.5, -0.7, -1), (0.6, 0.42, 0), (-1.2, 0.9, 3)):
            with self.subTest(f"turn {turn}, tilt {tilt}, cut {axis}"):
                drawn = page.value(run_js(f"""
                  Object.assign(app.scene.solid, {{turn: {turn}, tilt: {tilt}}});
                  app.panel.setCut({{axis: {axis}, at: 0.5}});
                  return app.scene.stage.dataset.drawn"""))
                page.wait_for(f"document.querySelector('#stage').dataset.drawn !== '{drawn}'")
                seen = page.wait_for(run_js("""
                  const c = app.scene.solidCanvas, gl = app.scene.solid.gl, w = c.width, h = c.height, p = new Uint8Array(4), rays = [];
                  if (w !== c.clientWidth || h !== c.clientHeight || performance.now() - app.scene.moving < 400) return null;
                  app.scene.drawSolid([0, 0, 0]);
                  for (let j = 0; j < 40; ++j) for (let i = 0; i < 40; ++i) {
                    const x = Math.floor((i + 0.5) / 40 * w), y = Math.floor((j + 0.5) / 40 * h);
                    gl.readPixels(x, h - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, p);
                    rays.push([(x + 0.5) / w, (y + 0.5) / h, app.scene.cellAt((x + 0.5) / w, (y + 0.5) / h),
                      p[0] + p[1] + p[2] === 0 ? null : p[0] > p[2] * 1.4 ? 'amber' : p[1] > p[0] * 1.4 ? 'teal' : 'neither']);
                  }
                  return {rays, eye: app.scene.solid.camera().eye, aspect: w / h};"""))
                ahead = (-math.cos(tilt) * math.sin(turn), math.cos(tilt) * math.cos(turn), -math.sin(tilt))
                right = (math.cos(turn), math.sin(turn), 0)
                up = (-math.sin(tilt) * math.sin(turn), math.sin(tilt) * math.cos(turn), math.cos(tilt))
                half = math.tan(0.42)
                spread = (half * seen["aspect"], half) if seen["aspect"] > 1 else (half, half / seen["aspect"])
                low = (15, 0, 0) if axis == 0 else (0, 0, 0)
                # The octant towards the eye.
                cut = [[(site + 0.5 - size[i] / 2) * -ahead[i] > 0 for site in range(size[i])] for i in range(3)]

                def is_there(site):
                    return cell_at(site) != 0 and not (axis == 3 and all(cut[i][site[i]] for i in range(3)))

                unsure, met, wrong = 0, set(), []
                for x, y, cell, look in seen["rays"]:
                    across, upwards = (2 * x - 1) * spread[0], (1 - 2 * y) * spread[1]
                    way = [ahead[i] + across * right[i] + upwards * up[i] for i in range(3)]
                    site = first_met(seen["eye"], way, low, size, is_there)
                    if site == "unsure":
                        unsure += 1
                        continue
                    expected = cell_at(site) if site else 0
                    met.add(expected)
                    if (cell, look) != (expected, names[types[expected]] if expected else None):
                        wrong.append((x, y, cell, look, expected))
                self.assertEqual(wrong, [])
                self.assertLess(unsure, 0.03 * len(seen["rays"]))
                self.assertGreater(len(met), 15)

    def test_without_the_token_there_is_a_sentence(self):
        run = self.finished(FLAT, mcs=10, every=10)
        program, _ = self.open("view", run)
        other = self.browser.page(program.address + "/?token=" + "0" * 48)
        self.addCleanup(other.close)
        other.wait_for("document.body?.innerText.includes('Kiln asks for its token')")


if __name__ == "__main__":
    unittest.main()
