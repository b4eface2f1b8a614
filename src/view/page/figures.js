// Numbers as the page shows them.

export const figure = value => {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e5 || (size < 1e-3 && size > 0)) return value.toExponential(2);
  return Number(value.toPrecision(4)).toLocaleString("en");
};

// A text that stays as it is can be selected, and is not read out again.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
