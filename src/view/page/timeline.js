// The foot of the page: how far the run is, or the saved states to scrub through.

import { setText } from "./figures.js";

const $ = id => document.getElementById(id);
const whole = value => Math.round(value).toLocaleString("en");

export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const at = units.findIndex(([, size]) => seconds >= size);
  if (at < 0) return `${seconds.toFixed(1)} s`;
  const [unit, size] = units[at];
  return `${(seconds / size).toFixed(seconds / size < 10 && unit !== "s" ? 1 : 0)} ${unit}`;
}

export class Timeline {
  constructor(seek) {
    this.seek = seek;
    this.times = [];
    $("timeline").addEventListener("input", () => this.go(Number($("timeline").value)));
    $("play").addEventListener("click", () => this.play());
  }

  show(status, about, frame) {
    const isFolder = status.state === "folder";
    $("timeline").hidden = $("play").hidden = !isFolder || status.snapshots.length < 2;
    $("progress").hidden = isFolder;
    if (isFolder) {
      this.setTimes(status.snapshots);
      const seen = this.times[Number($("timeline").value)];
      if (seen !== undefined) $("timeline").setAttribute("aria-valuetext", `MCS ${whole(seen)}`);
    }
    $("done").style.width = `${(100 * status.mcs) / Math.max(1, status.total)}%`;
    const mcs = isFolder ? frame?.mcs ?? status.mcs : status.mcs;
    const figures = [["MCS", `${whole(mcs)} of ${whole(status.total)}`, ""], ["time", duration(mcs * about.seconds_per_mcs), ""]];
    if (status.state === "running" && status.rate) {
      figures.push(["rate", `${status.rate >= 100 ? whole(status.rate) : status.rate.toPrecision(3)} MCS/s`, "less"]);
      figures.push(["left", duration(status.seconds_left), "less"]);
    }
    if (status.phase && status.phase !== "run") figures.push(["phase", status.phase, "less"]);
    this.showFigures(figures);
    $("progress").setAttribute("aria-valuemax", status.total);
    $("progress").setAttribute("aria-valuenow", status.mcs);
    $("progress").setAttribute("aria-valuetext", `MCS ${whole(status.mcs)} of ${whole(status.total)}`);
  }

  showFigures(figures) {
    const box = $("figures"), names = figures.map(([name]) => name).join();
    if (box.dataset.names !== names) {
      box.dataset.names = names;
      box.replaceChildren(...figures.map(([name, , kind]) => {
        const item = document.createElement("div"), label = document.createElement("span");
        item.className = kind;
        item.dataset.figure = name;
        label.textContent = `${name} `;
        item.append(label, document.createElement("b"));
        return item;
      }));
    }
    figures.forEach(([, value], i) => setText(box.children[i].lastChild, value));
  }

  setTimes(times) {
    if (times.length === this.times.length) return;
    const isFirst = this.times.length === 0, wasAtEnd = !isFirst && Number($("timeline").value) === this.times.length - 1;
    this.times = times;
    $("timeline").max = times.length - 1;
    if (isFirst || wasAtEnd) $("timeline").value = times.length - 1;
    // What is seen last is followed, as it was before a state was chosen.
    if (wasAtEnd) this.seek(undefined);
  }

  go(index) {
    if (this.times.length === 0) return;
    const at = Math.min(Math.max(index, 0), this.times.length - 1);
    $("timeline").value = at;
    this.seek(this.times[at]);
  }

  goBy(steps) { this.go(Number($("timeline").value) + steps); }

  play() {
    if (this.playing) {
      clearInterval(this.playing);
      this.playing = null;
    } else {
      if (Number($("timeline").value) === this.times.length - 1) this.go(0);
      this.playing = setInterval(() => {
        this.goBy(1);
        if (Number($("timeline").value) === this.times.length - 1) this.play();
      }, 250);
    }
    $("play").textContent = this.playing ? "Stop" : "Play";
  }
}
