// Charts of the measures: the run draws them, as for its report; which ones are seen is chosen here.

import * as net from "./net.js";

// What is worth seeing first, where a run has it.
const usual = ["Speed", "Cells", "Interfaces", "Energy", "Cell volume"];
const mostAtFirst = 4;

export class Charts {
  constructor(box, menu) {
    this.box = box;
    this.menu = menu;
    this.titles = [];
    this.charts = new Map();
    this.box.parentElement.hidden = true;
    menu.addEventListener("change", () => { if (menu.value) this.choose([...this.shown(), menu.value]); menu.value = ""; });
  }

  // Asks for new rows.
  async follow() {
    const { version, titles } = await net.plots();
    if (version === this.version) return;
    this.version = version;
    if (titles.join("\n") !== this.titles.join("\n")) {
      this.titles = titles;
      this.box.parentElement.hidden = titles.length === 0;
      this.menu.replaceChildren(new Option("Add a chart …", ""), ...titles.map(title => new Option(title, title)));
    }
    this.draw();
  }

  // `mcs`: of the state that is seen, where that is not the last.
  mark(mcs) {
    this.marked = mcs;
    this.draw();
  }

  choose(titles) {
    this.chosen = [...new Set(titles)];
    this.draw();
  }

  shown() {
    const known = title => this.titles.includes(title);
    return this.chosen?.filter(known) ?? usual.filter(known).slice(0, mostAtFirst);
  }

  chart(title) {
    if (!this.charts.has(title)) {
      const element = document.createElement("figure"), close = document.createElement("button");
      element.className = "chart";
      element.dataset.title = title;
      close.textContent = "×";
      close.title = "Take it away";
      close.setAttribute("aria-label", `Take ${title} away`);
      close.addEventListener("click", () => this.choose(this.shown().filter(other => other !== title)));
      element.append(close);
      this.charts.set(title, { element });
    }
    return this.charts.get(title);
  }

  // One at a time; what changes meanwhile is drawn next.
  async draw() {
    this.stale = true;
    if (this.drawing) return;
    this.drawing = true;
    while (this.stale) {
      this.stale = false;
      const charts = this.shown().map(title => this.chart(title)), elements = charts.map(chart => chart.element);
      if (elements.length !== this.box.children.length || elements.some((element, i) => element !== this.box.children[i]))
        this.box.replaceChildren(...elements);
      await Promise.all(charts.map(chart => this.drawOne(chart)));
    }
    this.drawing = false;
  }

  async drawOne(chart) {
    const wish = `${this.version} ${this.marked}`;
    if (chart.seen === wish) return;
    try {
      const text = await net.plot({ title: chart.element.dataset.title, mark: this.marked });
      const drawing = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      if (drawing.localName !== "svg") return;
      chart.element.querySelector("svg")?.remove();
      chart.element.prepend(document.adoptNode(drawing));
      chart.seen = wish;
    } catch {
      // The next rows bring it.
    }
  }
}
