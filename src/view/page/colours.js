// Which of at most 255 colours a site has. 0 is nothing, and the last is the chosen cell.

export const chosen = 255;
const rampSteps = 96;
// The ramp of the run's own pictures for Act: light grey, yellow, orange, red, dark violet.
const rampPoints = [[226, 226, 226], [250, 208, 96], [240, 148, 56], [208, 76, 72], [140, 34, 104], [58, 10, 84]];

export function rampColour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (rampPoints.length - 1);
  const left = Math.min(Math.floor(place), rampPoints.length - 2), part = place - left;
  return rampPoints[left].map((value, i) => Math.round(value + (rampPoints[left + 1][i] - value) * part));
}

const fromHex = text => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16));

// The middle of what is there, without the few that would stretch the scale.
function rangeOf(values, isShown) {
  const some = [];
  const stride = Math.max(1, Math.floor(values.length / 20000));
  for (let cell = 1; cell < values.length; cell += stride) if (isShown(cell) && Number.isFinite(values[cell])) some.push(values[cell]);
  some.sort((a, b) => a - b);
  if (some.length === 0) return [0, 1];
  const low = some[Math.floor((some.length - 1) * 0.02)], high = some[Math.ceil((some.length - 1) * 0.98)];
  return high > low ? [low, high] : [low, low + 1];
}

// Colours of everything in a frame: `palette` is RGB of 256 numbers; `byCell` the number of each cell; where a
// field is shown `bySite` tells it from (cell, value). `range` is what the ramp spans; null: no ramp.
export function colouring(frame, about, look) {
  const types = about.types, type = frame.columns.type;
  const palette = new Uint8Array(256 * 3);
  let next = 1;
  const add = rgb => { palette.set(rgb, next * 3); return next++; };
  const typeNumber = types.map(t => add(fromHex(t.colour)));
  const isPlain = types.map((t, i) => i === 0 || t.frozen);
  const isHidden = types.map((t, i) => i === 0 || look.hiddenTypes.has(i));
  palette.set([255, 45, 150], chosen * 3);
  const byCell = new Uint8Array(type.length);
  const result = { palette, byCell, range: null, byValue: null };

  const fromPlaces = (places, colours) => {
    const room = chosen - next;
    const fold = Math.ceil(colours.length / room);
    const first = next;
    for (let i = 0; i < colours.length; i += fold) add(fromHex(colours[i]));
    for (let cell = 0; cell < type.length; ++cell)
      byCell[cell] = isPlain[type[cell]] ? typeNumber[type[cell]] : first + Math.floor(places[cell] / fold);
  };
  const addRamp = () => {
    const first = next;
    for (let i = 0; i < rampSteps; ++i) add(rampColour(i / (rampSteps - 1)));
    return first;
  };

  if (look.colour === "type") fromPlaces(frame.columns.by_type, frame.colours_by_type);
  else if (look.colour === "cell") fromPlaces(frame.columns.by_cell, frame.colours_by_cell);
  else if (about.fields.includes(look.colour)) {
    const first = addRamp();
    result.byValue = new Uint8Array(256).map((_, v) => first + Math.floor((v * rampSteps) / 256));
    result.range = [frame.field_low ?? 0, frame.field_high ?? 1];
    for (let cell = 0; cell < type.length; ++cell) byCell[cell] = isPlain[type[cell]] ? typeNumber[type[cell]] : 0;
    // What is not plain follows its sites.
    result.followsSites = Uint8Array.from(type, t => (isPlain[t] && !(t === 0 && look.colour !== "act") ? 0 : 1));
  } else {
    const values = look.colour === "speed" ? look.speeds : frame.columns[look.colour];
    const first = addRamp();
    for (let cell = 0; cell < type.length; ++cell) byCell[cell] = typeNumber[type[cell]];
    if (values) {
      result.range = rangeOf(values, cell => !isPlain[type[cell]] && frame.columns.volume[cell] > 0);
      const [low, high] = result.range;
      for (let cell = 0; cell < type.length; ++cell) {
        const share = Math.min(Math.max((values[cell] - low) / (high - low), 0), 1);
        if (!isPlain[type[cell]] && Number.isFinite(values[cell])) byCell[cell] = first + Math.round(share * (rampSteps - 1));
      }
    }
  }
  for (let cell = 0; cell < type.length; ++cell) {
    if (!isHidden[type[cell]]) continue;
    byCell[cell] = 0;
    // A substance is seen between cells, too, where nothing lies in front of it.
    if (result.followsSites && !(look.flat && type[cell] === 0)) result.followsSites[cell] = 0;
  }
  const hide = cell => { byCell[cell] = 0; if (result.followsSites) result.followsSites[cell] = 0; };
  for (const cell of look.hiddenCells) hide(cell);
  if (look.alone) for (let cell = 1; cell < type.length; ++cell) if (cell !== look.alone && !types[type[cell]].frozen) hide(cell);
  if (look.chosen > 0 && look.chosen < byCell.length) {
    byCell[look.chosen] = chosen;
    if (result.followsSites) result.followsSites[look.chosen] = 0;
  }
  return result;
}

export function paint(frame, colours, to) {
  const ids = frame.ids, byCell = colours.byCell;
  if (colours.byValue && frame.values) {
    const follows = colours.followsSites, byValue = colours.byValue, values = frame.values;
    for (let i = 0; i < ids.length; ++i) to[i] = follows[ids[i]] ? byValue[values[i]] : byCell[ids[i]];
  } else {
    for (let i = 0; i < ids.length; ++i) to[i] = byCell[ids[i]];
  }
}
