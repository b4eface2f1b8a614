// The viewer's page: asks the run how it stands and what it looks like, and shows that.

import { ChosenCell } from "./cell.js";
import { Charts } from "./charts.js";
import { setText } from "./figures.js";
import { readFrame } from "./frame.js";
import { listenToKeys } from "./keys.js";
import * as net from "./net.js";
import { note } from "./notes.js";
import { Panel } from "./panel.js";
import { Scene } from "./scene.js";
import { SteeringPanel } from "./steering.js";
import { Timeline } from "./timeline.js";

const longestSilence = 3000;  // ms

const $ = id => document.getElementById(id);

class App {
  async begin() {
    // The token has done its work: it need not stand in the history. A frame needs it again when it is loaded again.
    if (!net.isFrame) history.replaceState(null, "", "/");
    this.about = await net.about();
    document.title = `${this.about.name} – Kiln`;
    $("title").textContent = this.about.title;
    const { nx, ny, nz, dimension, step } = this.about;
    $("subtitle").textContent = `${this.about.name} · ${[nx, ny, nz].slice(0, dimension).join(" × ")}`;
    if (step > 1) note("step", `every ${step === 2 ? "2nd" : `${step}th`} site along each axis is shown`);
    this.cell = new ChosenCell($("cell"));
    this.charts = new Charts($("charts"), $("add-chart"));
    this.scene = new Scene($("stage"), this.about);
    this.panel = new Panel(this.scene, this.about, () => this.wantMore(), () => (this.status?.state === "folder" ? this.scene.frame.mcs : undefined));
    this.steering = new SteeringPanel(this.about.steers, () => this.status);
    this.timeline = new Timeline(mcs => this.seek(mcs));
    this.scene.onPick = id => this.choose(id);
    $("cell-clear").addEventListener("click", () => this.choose(0));
    $("cell-hide").addEventListener("click", () => { this.scene.look.hiddenCells.add(this.cell.id); this.choose(0); });
    $("cell-alone").addEventListener("click", () => { this.scene.look.alone = this.cell.id; this.choose(this.cell.id); });
    $("cells-show").addEventListener("click", () => { this.scene.showAllCells(); this.choose(this.cell.id); });
    $("cell-number").addEventListener("change", () => this.chooseNumber($("cell-number").value.trim()));
    listenToKeys(this);
    this.number = 0;
    this.watchStatus();
    this.watchFrames();
    this.watchMeasures();
  }

  chooseNumber(text) {
    const most = this.scene.frame.columns.type.length - 1, id = Number(text);
    const isCell = /^\d+$/.test(text) && id >= 1 && id <= most;
    note("cell", isCell || text === "" ? "" : `There is no cell ${text}: they have the numbers 1 to ${most}.`);
    if (isCell || text === "") this.choose(id);
  }

  choose(id) {
    $("cell-number").value = id || "";
    if (id !== 0) note("cell");
    if (id === 0) this.cell.let_go();
    else if (id !== this.cell.id) this.cell.choose(id);
    $("cell-buttons").hidden = id === 0;
    $("cells-show").hidden = !this.scene.look.alone && this.scene.look.hiddenCells.size === 0;
    this.scene.look.chosen = id;
    this.scene.recolour();
    if (id !== 0) this.cell.follow(this.scene.frame, this.about, this.scene.look.speeds);
    this.wantMore();
  }

  // What the frame at hand lacks has to come.
  wantMore() {
    if (this.scene.frame && !(this.scene.hasColours && this.scene.hasRow)) {
      this.number = 0;
      this.loaded = null;
    }
  }

  seek(mcs) {
    this.wanted = mcs;
    this.charts.mark(mcs);
  }

  take({ number, buffer }) {
    this.number = number;
    const frame = readFrame(buffer, this.scene.frame);
    this.scene.show(frame);
    this.panel.frameCame(frame);
    this.cell.follow(frame, this.about, this.scene.look.speeds);
    document.body.dataset.frame = number;
    document.body.dataset.mcs = frame.mcs;
  }

  async watchStatus() {
    let answered = performance.now(), isLost = false;
    while (true) {
      await net.seen();
      try {
        this.status = await net.status();
        answered = performance.now();
        if (isLost) net.dropFrame();
        isLost = false;
        if (this.status.about !== this.aboutVersion) await this.renewAbout(this.status.about);
        this.showStatus();
      } catch (error) {
        // A moment without an answer is no end: the run may be busy, or the way to it slow.
        isLost = error instanceof net.Refused || performance.now() - answered > longestSilence;
        if (isLost) this.badge("gone", error.status === 403 ? "refused" : "not reached");
        if (error instanceof net.Refused) note("run", error.message);
      }
      await net.rest(isLost ? 1500 : 200);
    }
  }

  // Colours, types and fields change where the model does.
  async renewAbout(version) {
    Object.assign(this.about, await net.about());
    this.aboutVersion = version;
    this.scene.typesCame();
    this.panel.typesCame();
  }

  badge(state, text) {
    $("state").dataset.state = state;
    setText($("state"), text);
  }

  showStatus() {
    const { status } = this;
    const words = { running: "running", paused: "paused", idle: "idle", ended: "finished", folder: "saved states" };
    note("run");
    this.badge(status.state, words[status.state]);
    this.timeline.show(status, this.about, this.scene.frame);
    this.steering.show(status);
  }

  async watchFrames() {
    while (true) {
      await net.seen();
      try {
        if (this.status?.state === "folder") await this.watchFolder();
        else {
          const came = await net.frame({ after: this.number, field: this.scene.field, numbers: this.scene.cellNumbers });
          if (came) this.take(came);
          else if (this.status?.state === "ended") await net.rest(500);
        }
        note("frames");
      } catch (error) {
        // Where nothing is reached, its state tells it.
        if (!(error instanceof net.Silence) && error.status !== 403) note("frames", error.message);
        await net.rest(500);
      }
    }
  }

  async watchFolder() {
    const mcs = this.wanted ?? this.status.snapshots.at(-1);
    const wish = `${mcs} ${this.scene.field} ${this.scene.cellNumbers}`;
    if (this.loaded === wish) return net.rest(60);
    const came = await net.frame({ mcs, field: this.scene.field, numbers: this.scene.cellNumbers });
    this.loaded = wish;
    if (came) this.take(came);
  }

  async watchMeasures() {
    while (true) {
      await net.seen();
      try {
        await this.charts.follow();
      } catch {
        // It tells of its state that it is not reached.
      }
      await net.rest(1000);
    }
  }
}

export const app = new App();
app.begin().catch(error => {
  $("state").textContent = "not to be shown";
  note("page", error.message);
});
