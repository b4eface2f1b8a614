// Pause, step, go on, and changes of numbers, where the run was started with --steer.

import * as net from "./net.js";

const $ = id => document.getElementById(id);

export class SteeringPanel {
  constructor(steers, statusNow) {
    this.steers = steers;
    this.statusNow = statusNow;
    if (!steers) return;
    $("controls").hidden = $("numbers-box").hidden = false;
    $("go").addEventListener("click", () => this.toggle());
    $("step").addEventListener("click", () => this.step());
    $("numbers").addEventListener("change", () => this.showValue());
    $("numbers-form").addEventListener("submit", event => { event.preventDefault(); this.set(); });
    this.load().catch(error => this.say(error.message, true));
  }

  async load(keep = "temperature") {
    this.numbers = await net.numbers();
    $("numbers").replaceChildren(...this.numbers.map(({ key }) => new Option(key, key)));
    $("numbers").value = keep;
    this.showValue();
  }

  showValue() { $("value").value = this.numbers.find(({ key }) => key === $("numbers").value)?.value ?? ""; }

  show(status) {
    if (!this.steers) return;
    const isOver = status.state !== "running" && status.state !== "paused";
    $("controls").hidden = $("numbers-box").hidden = isOver;
    $("go").textContent = status.state === "paused" ? "Go on" : "Pause";
  }

  async send(command) {
    try {
      const answer = await net.steer(command);
      this.say(answer.said ?? "", false);
      return answer;
    } catch (error) {
      this.say(error.message, true);
      return null;
    }
  }

  say(text, isRefused) {
    $("answer").textContent = text;
    $("answer").toggleAttribute("data-refused", isRefused);
  }

  toggle() { if (this.steers) return this.send({ do: this.statusNow()?.state === "paused" ? "go" : "pause" }); }
  step() { if (this.steers) return this.send({ do: "step" }); }

  async set() {
    const key = $("numbers").value, value = $("value").value.trim();
    const answer = await this.send({ do: "set", set: `${key}=${value}` });
    if (answer?.mcs === undefined) return;
    await this.load(key).catch(() => {});  // the numbers at hand stay
    this.say(`${key} is ${value} from MCS ${answer.mcs} on.`, false);
  }
}
