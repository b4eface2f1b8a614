// The keyboard does all that the mouse does.

const views = { 1: "solid", 2: "x", 3: "y", 4: "z" };
const turn = 0.12;

export function listenToKeys(app) {
  const { scene, panel, timeline, steering } = app;
  const actions = {
    ArrowLeft: () => scene.turnBy(-turn, 0), ArrowRight: () => scene.turnBy(turn, 0),
    ArrowUp: () => scene.turnBy(0, -turn), ArrowDown: () => scene.turnBy(0, turn),
    "+": () => scene.zoomBy(1.15), "=": () => scene.zoomBy(1.15), "-": () => scene.zoomBy(1 / 1.15),
    "[": () => panel.moveBy(-1), "]": () => panel.moveBy(1),
    c: () => panel.nextColour(), r: () => scene.reset(), t: () => panel.setTheme(),
    p: () => panel.picture(),
    f: () => panel.flipCut(),
    s: () => steering.step(), " ": () => (app.status?.state === "folder" ? timeline.play() : steering.toggle()),
    ",": () => timeline.goBy(-1), ".": () => timeline.goBy(1),
    Escape: () => app.choose(0),
    "?": () => document.getElementById("help").showModal(),
  };
  document.addEventListener("keydown", event => {
    const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && event.key !== "Escape";
    const isPressing = event.target.tagName === "BUTTON" && [" ", "Enter"].includes(event.key);
    if (isTyping || isPressing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (views[event.key]) panel.setView(views[event.key]);
    else if (actions[event.key]) actions[event.key]();
    else return;
    event.preventDefault();
  });
}
