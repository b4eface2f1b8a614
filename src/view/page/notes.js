// Sentences at the foot of the stage, each under the name of what it is about.

const said = new Map();

// No text: nothing is said of it any more.
export function note(about, text = "") {
  if (text) said.set(about, text);
  else said.delete(about);
  const all = [...said.values()].join(" · "), box = document.getElementById("note-text");
  if (box.textContent !== all) box.textContent = all;
}
