// The tissue in space: a fragment shader marches through a texture of colour numbers, site by site.

const vertexText = `#version 300 es
out vec2 at;
void main() {
  at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(at, 0.0, 1.0);
}`;

// Blocks of 8^3 sites without anything are passed in one step.
const fragmentText = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler3D;
uniform usampler3D sites, blocks;
uniform sampler2D palette;
uniform ivec3 size;
uniform vec3 eye, right, up, ahead, low, high, corner, cornerSign;
uniform vec2 spread;
uniform bool hasCorner;
uniform vec3 background;
in vec2 at;
out vec4 colour;

uint numberAt(ivec3 p) {
  if (any(lessThan(p, ivec3(0))) || any(greaterThanEqual(p, size))) return 0u;
  return texelFetch(sites, p, 0).r;
}
bool isCutAway(vec3 p) { return hasCorner && all(greaterThan((p - corner) * cornerSign, vec3(0.0))); }

// Where the surface faces, from all neighbours that are something else; and how deep in a fold it lies.
vec4 surface(ivec3 p, uint number) {
  vec3 normal = vec3(0.0);
  float open = 0.0;
  for (int z = -1; z <= 1; ++z) for (int y = -1; y <= 1; ++y) for (int x = -1; x <= 1; ++x) {
    ivec3 q = p + ivec3(x, y, z);
    uint other = numberAt(q);
    if (other != number) normal += vec3(x, y, z) * (other == 0u ? 1.0 : 0.7);
    if (other == 0u) open += 1.0;
  }
  return vec4(normal, open);
}

void main() {
  vec3 way = normalize(ahead + at.x * spread.x * right + at.y * spread.y * up);
  way = mix(way, vec3(1e-6), lessThan(abs(way), vec3(1e-6)));
  vec3 a = (low - eye) / way, b = (high - eye) / way;
  vec3 first = min(a, b), last = max(a, b);
  float t = max(max(first.x, first.y), max(first.z, 0.0)), end = min(last.x, min(last.y, last.z));
  colour = vec4(background, 1.0);
  if (t >= end) return;
  vec3 side = step(first.yzx, first) * step(first.zxy, first) * -sign(way);
  vec3 stepTo = sign(way), inverse = 1.0 / abs(way);
  ivec3 p = clamp(ivec3(floor(eye + way * (t + 1e-3))), ivec3(0), size - 1);
  bool atWall = true, wasCut = false;
  for (int i = 0; i < 3000; ++i) {
    vec3 next;
    float width = 1.0;
    vec3 base = vec3(p);
    if (texelFetch(blocks, p >> 3, 0).r == 0u) {
      width = 8.0;
      base = vec3((p >> 3) << 3);
    } else {
      uint number = texelFetch(sites, p, 0).r;
      bool cut = isCutAway(vec3(p) + 0.5);
      if (number != 0u && !cut) {
        vec4 around = surface(p, number);
        bool flatFace = atWall || wasCut;
        vec3 normal = flatFace ? side : normalize(around.xyz + side * 1.5);
        float light = 0.5 + 0.5 * dot(normal, normalize(-ahead * 0.75 + up * 0.55 + right * -0.35));
        float fold = flatFace ? 1.0 : mix(0.62, 1.0, clamp(around.w / 9.0, 0.0, 1.0));
        vec3 base = texelFetch(palette, ivec2(int(number), 0), 0).rgb;
        base = base * base;
        float edge = 1.0;
        if (flatFace) {  // borders between cells are drawn on a cut
          vec3 along = 1.0 - abs(side);
          for (int axis = 0; axis < 3; ++axis) if (along[axis] > 0.5) {
            ivec3 o = ivec3(axis == 0, axis == 1, axis == 2);
            if (numberAt(p + o) != number || numberAt(p - o) != number) edge = 0.62;
          }
          light = 0.72 + 0.28 * light;
        }
        colour = vec4(sqrt(base * (0.25 + 0.85 * light * light) * fold * edge), 1.0);
        return;
      }
      wasCut = cut;
      atWall = false;
    }
    next = (base + (stepTo * 0.5 + 0.5) * width - eye) / way;
    // One side is passed at a time; where two are as near, rays would slip through between two sites.
    vec3 passed = next.x <= next.y ? (next.x <= next.z ? vec3(1, 0, 0) : vec3(0, 0, 1))
                                   : (next.y <= next.z ? vec3(0, 1, 0) : vec3(0, 0, 1));
    t = dot(passed, next);
    if (t >= end) return;
    side = -stepTo * passed;
    // Rounding must not lead out of the block along the other axes.
    ivec3 q = clamp(ivec3(floor(eye + way * t)), ivec3(base), ivec3(base + width - 1.0));
    for (int axis = 0; axis < 3; ++axis)
      if (passed[axis] > 0.5) q[axis] = int(base[axis]) + (stepTo[axis] > 0.0 ? int(width) : -1);
    if (width > 1.0) atWall = false;
    p = q;
    if (any(lessThan(p, ivec3(floor(low)))) || any(greaterThanEqual(p, ivec3(ceil(high))))) return;
    p = clamp(p, ivec3(0), size - 1);
  }
}`;

function program(gl) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  return made;
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const room = 1.1;  // around the tissue
const first = { turn: 0.6, tilt: 0.42 };  // radians

function directions(turn, tilt) {
  const ahead = [-Math.cos(tilt) * Math.sin(turn), Math.cos(tilt) * Math.cos(turn), -Math.sin(tilt)];
  const right = [Math.cos(turn), Math.sin(turn), 0];
  return { ahead, right, up: cross(right, ahead) };
}

export class Solid {
  // `longest`: axis of the lattice, in sites that are shown.
  constructor(canvas, longest) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { antialias: false, alpha: false, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("No 3-D view: this browser has no WebGL2.");
    const most = this.gl.getParameter(this.gl.MAX_3D_TEXTURE_SIZE);
    if (longest > most) throw new Error(`No 3-D view: an axis of ${longest} sites is shown, and this browser draws ${most} at most.`);
    this.build();
    this.size = [0, 0, 0];
    this.cut = { axis: -1, at: 0.5, flip: false };
    this.coarse = 1;
    this.reset();
  }

  // What lies in the memory of the graphics card, at first and when it has been lost.
  build() {
    const { gl } = this;
    this.program = program(gl);
    gl.useProgram(this.program);
    this.places = {};
    for (let i = gl.getProgramParameter(this.program, gl.ACTIVE_UNIFORMS) - 1; i >= 0; --i) {
      const name = gl.getActiveUniform(this.program, i).name;
      this.places[name] = gl.getUniformLocation(this.program, name);
    }
    ["sites", "blocks", "palette"].forEach((name, unit) => {
      const kind = name === "palette" ? gl.TEXTURE_2D : gl.TEXTURE_3D;
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(kind, gl.createTexture());
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(kind, filter, gl.NEAREST);
      for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(kind, wrap, gl.CLAMP_TO_EDGE);
      gl.uniform1i(this.places[name], unit);
    });
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    this.uploaded = [0, 0, 0];
  }

  reset() {
    Object.assign(this, { ...first, zoom: 1, shift: [0, 0] });
    if (this.filled) this.focus();
  }

  // On what can be seen, to a block: so it stays where it is while cells move.
  focus() {
    const [bx, by, bz] = this.size.map(n => Math.ceil(n / 8)), low = [Infinity, Infinity, Infinity], high = [0, 0, 0];
    for (let z = 0, i = 0; z < bz; ++z)
      for (let y = 0; y < by; ++y)
        for (let x = 0; x < bx; ++x, ++i)
          if (this.filled[i]) [x, y, z].forEach((at, axis) => {
            low[axis] = Math.min(low[axis], at * 8);
            high[axis] = Math.max(high[axis], Math.min(at * 8 + 8, this.size[axis]));
          });
    const isEmpty = low[0] > high[0];
    this.middle = this.size.map((n, i) => (isEmpty ? n / 2 : (low[i] + high[i]) / 2));
    this.radius = Math.hypot(...this.size.map((n, i) => (isEmpty ? n : high[i] - low[i]))) / 2;
    this.corners = isEmpty ? [] : this.outerCorners();
    this.fits = {};
  }

  // Of the first and the last block of every row that holds anything, three numbers each: all of the tissue lies
  // between them.
  outerCorners() {
    const [bx, by, bz] = this.size.map(n => Math.ceil(n / 8)), corners = [];
    for (let z = 0; z < bz; ++z)
      for (let y = 0; y < by; ++y) {
        const row = this.filled.subarray((z * by + y) * bx, (z * by + y + 1) * bx);
        const begin = row.indexOf(1), end = row.lastIndexOf(1) + 1;
        if (begin < 0) continue;
        for (const [i, j, k] of [[begin, y, z], [end, y, z], [begin, y + 1, z], [end, y + 1, z],
          [begin, y, z + 1], [end, y, z + 1], [begin, y + 1, z + 1], [end, y + 1, z + 1]])
          corners.push(Math.min(i * 8, this.size[0]), Math.min(j * 8, this.size[1]), Math.min(k * 8, this.size[2]));
      }
    return corners;
  }

  // From where the first view has all of the tissue, and a little room around it: how far off, and how far beside the
  // middle (right, up), for what is near is seen larger. Each side of the view asks for a distance that a step aside
  // makes shorter as much as it makes that of the opposite side longer; half of the step that would make both the same
  // is taken, since all of it would look along the top.
  stand(spread) {
    const key = spread.join();
    if (this.fits.key === key) return this.fits;
    const { ahead, right, up } = directions(first.turn, first.tilt), { corners, middle } = this;
    const most = [[-Infinity, -Infinity], [-Infinity, -Infinity]];
    for (let i = 0; i < corners.length; i += 3) {
      const p = [corners[i] - middle[0], corners[i + 1] - middle[1], corners[i + 2] - middle[2]], depth = dot(p, ahead);
      [right, up].forEach((side, axis) => {
        const aside = (dot(p, side) / spread[axis]) * room;
        most[axis][0] = Math.max(most[axis][0], aside - depth);
        most[axis][1] = Math.max(most[axis][1], -aside - depth);
      });
    }
    if (corners.length === 0) this.fits = { key, distance: (this.radius / Math.min(...spread)) * 1.5, aside: [0, 0] };
    else this.fits = {
      key,
      distance: Math.max(...most.map(([a, b]) => (a + b) / 2 + Math.abs(a - b) / 4)),
      aside: most.map(([a, b], axis) => ((a - b) / 4) * (spread[axis] / room)),
    };
    return this.fits;
  }

  show(size, numbers, palette) {
    const gl = this.gl;
    const blockSize = size.map(n => Math.ceil(n / 8));
    const isOther = (a, b) => a.some((n, i) => n !== b[i]);
    const isNew = isOther(size, this.size), isFirst = isOther(size, this.uploaded);
    this.size = this.uploaded = size;
    this.numbers = numbers;
    this.filled = this.filledBlocks(size, blockSize, numbers);
    if (isNew) this.focus();
    const upload = (unit, [x, y, z], bytes) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      if (isFirst) gl.texImage3D(gl.TEXTURE_3D, 0, gl.R8UI, x, y, z, 0, gl.RED_INTEGER, gl.UNSIGNED_BYTE, bytes);
      else gl.texSubImage3D(gl.TEXTURE_3D, 0, 0, 0, 0, x, y, z, gl.RED_INTEGER, gl.UNSIGNED_BYTE, bytes);
    };
    upload(0, size, numbers);
    upload(1, blockSize, this.filled);
    gl.activeTexture(gl.TEXTURE0 + 2);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, 256, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, palette);
  }

  filledBlocks(size, blockSize, numbers) {
    const filled = new Uint8Array(blockSize[0] * blockSize[1] * blockSize[2]);
    for (let z = 0, i = 0; z < size[2]; ++z)
      for (let y = 0; y < size[1]; ++y) {
        const row = ((z >> 3) * blockSize[1] + (y >> 3)) * blockSize[0];
        for (let x = 0; x < size[0]; ++x, ++i) if (numbers[i] !== 0) filled[row + (x >> 3)] = 1;
      }
    return filled;
  }

  // Everything about where the eye stands, in sites.
  camera() {
    const { radius, middle } = this, { ahead, right, up } = directions(this.turn, this.tilt);
    const { clientWidth, clientHeight } = this.canvas;
    const aspect = clientWidth / clientHeight || 1;
    const half = Math.tan(0.42);
    const spread = aspect > 1 ? [half * aspect, half] : [half, half / aspect];
    const stand = this.stand(spread), distance = stand.distance / this.zoom;
    const aside = this.shift.map((part, axis) => part * radius + stand.aside[axis]);
    const eye = [0, 1, 2].map(i => middle[i] - ahead[i] * distance + right[i] * aside[0] + up[i] * aside[1]);
    return { eye, ahead, right, up, spread };
  }

  // The part of the box that is left, and the corner that is taken out.
  kept() {
    const low = [0, 0, 0], high = this.size.slice(), { axis, at, flip } = this.cut;
    if (axis >= 0 && axis < 3) {
      const place = Math.round(at * this.size[axis]);
      if (flip) high[axis] = Math.max(1, place); else low[axis] = Math.min(this.size[axis] - 1, place);
    }
    const toEye = this.camera().ahead.map(v => (v > 0 ? -1 : 1));
    return { low, high, hasCorner: axis === 3, corner: this.size.map(n => n * (flip ? 1 - at : at)), sign: toEye };
  }

  draw(background) {
    const gl = this.gl, { clientWidth, clientHeight } = this.canvas;
    const scale = Math.min(window.devicePixelRatio, 2) / this.coarse;
    const width = Math.max(1, Math.round(clientWidth * scale)), height = Math.max(1, Math.round(clientHeight * scale));
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    gl.viewport(0, 0, width, height);
    const at = this.camera(), kept = this.kept(), u = this.places;
    gl.uniform3iv(u.size, this.size);
    for (const name of ["eye", "right", "up", "ahead"]) gl.uniform3fv(u[name], at[name]);
    gl.uniform2fv(u.spread, at.spread);
    gl.uniform3fv(u.low, kept.low);
    gl.uniform3fv(u.high, kept.high);
    gl.uniform3fv(u.corner, kept.corner);
    gl.uniform3fv(u.cornerSign, kept.sign);
    gl.uniform1i(u.hasCorner, kept.hasCorner ? 1 : 0);
    gl.uniform3fv(u.background, background);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  // Waits until it is drawn; so much does a frame cost.
  finish() { this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4)); }

  // The site that is seen at a place of the canvas (0 to 1), as its index; -1: none. The same march as above.
  pick(x, y) {
    const { eye, ahead, right, up, spread } = this.camera(), { low, high, hasCorner, corner, sign } = this.kept();
    const px = (x * 2 - 1) * spread[0], py = (1 - y * 2) * spread[1];
    const way = [0, 1, 2].map(i => ahead[i] + px * right[i] + py * up[i] || 1e-9);
    let t = 0, end = Infinity;
    for (let i = 0; i < 3; ++i) {
      const a = (low[i] - eye[i]) / way[i], b = (high[i] - eye[i]) / way[i];
      t = Math.max(t, Math.min(a, b));
      end = Math.min(end, Math.max(a, b));
    }
    if (t >= end) return -1;
    const p = [0, 1, 2].map(i => Math.min(Math.max(Math.floor(eye[i] + way[i] * (t + 1e-4)), Math.floor(low[i])), Math.ceil(high[i]) - 1));
    const next = [0, 1, 2].map(i => (p[i] + (way[i] > 0 ? 1 : 0) - eye[i]) / way[i]);
    while (true) {
      const site = (p[2] * this.size[1] + p[1]) * this.size[0] + p[0];
      const isCut = hasCorner && [0, 1, 2].every(i => (p[i] + 0.5 - corner[i]) * sign[i] > 0);
      if (this.numbers[site] !== 0 && !isCut) return site;
      const axis = next[0] < next[1] ? (next[0] < next[2] ? 0 : 2) : next[1] < next[2] ? 1 : 2;
      p[axis] += Math.sign(way[axis]);
      if (p[axis] < Math.floor(low[axis]) || p[axis] >= Math.ceil(high[axis])) return -1;
      next[axis] += 1 / Math.abs(way[axis]);
    }
  }
}
