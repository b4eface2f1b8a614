// What the page asks of the run. All of it stays on this machine, or on the one that the page came from.

// A browser need not send cookies from a frame in another page, such as a notebook's: there the token of the address
// goes along with what is asked for.
export const isFrame = window.self !== window.top;
const token = isFrame ? new URLSearchParams(location.search).get("token") : null;
const headers = token ? { "X-Kiln-Token": token } : {};

// A dead tunnel answers nothing at all. The run holds a frame back for a second at most; the rest is the way of
// many megabytes.
const longest = { status: 8000, frame: 90000 };  // ms

export class Refused extends Error {
  constructor(status, text) {
    super(text.trim() || `status ${status}`);
    this.status = status;
  }
}

// Not reached, or no answer in time.
export class Silence extends Error {}
const silent = error => { throw new Silence(error.message); };

const get = async (path, parameters = {}, signal = undefined) => {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== ""));
  const text = query.toString();
  const reply = await fetch(text ? `${path}?${text}` : path, { cache: "no-store", headers, signal }).catch(silent);
  if (!reply.ok) throw new Refused(reply.status, await reply.text());
  return reply;
};

export const about = async () => (await get("/api/about")).json();
export const status = async () => (await get("/api/status", {}, AbortSignal.timeout(longest.status))).json();
export const numbers = async () => (await (await get("/api/numbers")).json()).numbers ?? [];
export const plots = async () => (await get("/api/plots")).json();
export const plot = async wish => (await get("/api/plot", wish)).text();

// A frame after the one that is known, or that of a saved state; null where none has come within a moment.
let asked = null;
export const frame = async wish => {
  const own = (asked = new AbortController()), timer = setTimeout(() => own.abort(), longest.frame);
  try {
    const reply = await get("/api/frame", wish, own.signal);
    if (reply.status === 204) return null;
    return { number: Number(reply.headers.get("X-Frame")), buffer: await reply.arrayBuffer().catch(silent) };
  } finally {
    clearTimeout(timer);
  }
};
// Where the run is reached again, what was asked before may never be answered.
export const dropFrame = () => asked?.abort();

export const picture = async wish => (await get("/api/picture", wish)).blob();

// What the run answers, in its own words where it refuses; `said`: where it is not done yet.
export const steer = async command => {
  const reply = await fetch("/api/steer", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(text.trim());
  return text.startsWith("{") ? JSON.parse(text) : { said: text.trim() };
};

export const rest = milliseconds => new Promise(done => setTimeout(done, milliseconds));
// A page that is not seen asks for nothing.
export const seen = () => (document.hidden ? new Promise(done => document.addEventListener("visibilitychange", done, { once: true })).then(seen) : undefined);
