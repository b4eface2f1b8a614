// What the page asks of the run. All of it stays on this machine, or on the one that the page came from.

// A browser need not send cookies from a frame in another page, such as a notebook's: there the token of the address
// goes along with what is asked for.
export const isFrame = window.self !== window.top;
const token = isFrame ? new URLSearchParams(location.search).get("token") : null;
const headers = token ? { "X-Kiln-Token": token } : {};

const get = async (path, parameters = {}) => {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== ""));
  const text = query.toString();
  const reply = await fetch(text ? `${path}?${text}` : path, { cache: "no-store", headers });
  if (!reply.ok) throw new Error((await reply.text()).trim() || `status ${reply.status}`);
  return reply;
};

export const about = async () => (await get("/api/about")).json();
export const status = async () => (await get("/api/status")).json();
export const numbers = async () => (await (await get("/api/numbers")).json()).numbers ?? [];
export const plots = async () => (await get("/api/plots")).json();
export const plot = async wish => (await get("/api/plot", wish)).text();

// A frame after the one that is known, or that of a saved state; null where none has come within a moment.
export const frame = async wish => {
  const reply = await get("/api/frame", wish);
  if (reply.status === 204) return null;
  return { number: Number(reply.headers.get("X-Frame")), buffer: await reply.arrayBuffer() };
};

export const picture = async wish => (await get("/api/picture", wish)).blob();

// What the run answers, in its own words where it refuses.
export const steer = async command => {
  const reply = await fetch("/api/steer", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(text.trim());
  return text.startsWith("{") ? JSON.parse(text) : {};
};

export const rest = milliseconds => new Promise(done => setTimeout(done, milliseconds));
// A page that is not seen asks for nothing.
export const seen = () => (document.hidden ? new Promise(done => document.addEventListener("visibilitychange", done, { once: true })).then(seen) : undefined);
