// A plane of the lattice, site by site: all of a 2-D lattice, or a cut across an axis. Along y, row 0 is at the
// top; z points up, as in the run's pictures.

export class Slice {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.buffer = document.createElement("canvas");
    this.axis = 2;
    this.positions = null;  // by axis; the middle at first
    this.reset();
  }

  reset() { this.zoom = 1; this.shift = [0, 0]; }

  show(size, numbers, palette, ids) {
    this.positions ??= size.map(n => n >> 1);
    Object.assign(this, { size, numbers, palette, ids });
  }

  get position() { return this.positions?.[this.axis] ?? 0; }
  set position(at) { this.positions[this.axis] = Math.min(Math.max(at, 0), this.size[this.axis] - 1); }

  axes() { return [[1, 2, true], [0, 2, true], [0, 1, false]][this.axis]; }

  // Site number `start + column * right + row * below` lies at a column and a row.
  strides() {
    const [across, down, isUp] = this.axes(), [nx, ny] = this.size, stride = [1, nx, nx * ny];
    const below = isUp ? -stride[down] : stride[down];
    const start = this.position * stride[this.axis] + (isUp ? (this.size[down] - 1) * stride[down] : 0);
    return { start, right: stride[across], below };
  }

  index(column, row) {
    const { start, right, below } = this.strides();
    return start + column * right + row * below;
  }

  // Colours of all sites, with the borders of cells darkened where sites are large enough to see them.
  fill(dark) {
    const [across, down] = this.axes(), width = this.size[across], height = this.size[down];
    const fine = Math.min(4, Math.max(1, Math.floor(1600 / Math.max(width, height))));
    const w = width * fine, h = height * fine;
    if (this.image?.width !== w || this.image.height !== h) {
      Object.assign(this.buffer, { width: w, height: h });
      this.image = new ImageData(w, h);
    }
    const out = new Uint32Array(this.image.data.buffer);
    const nothing = dark ? 0xff30241e : 0xffffffff;
    const rgba = new Uint32Array(256), darker = new Uint32Array(256);
    for (let i = 0; i < 256; ++i) {
      const [r, g, b] = this.palette.subarray(i * 3, i * 3 + 3);
      rgba[i] = i === 0 ? nothing : (255 << 24) | (b << 16) | (g << 8) | r;
      darker[i] = i === 0 ? nothing : (255 << 24) | ((b * 0.55) << 16) | ((g * 0.55) << 8) | (r * 0.55);
    }
    const { numbers, ids } = this, { start, right, below } = this.strides();
    for (let row = 0; row < height; ++row)
      for (let column = 0, site = start + row * below, to = row * fine * w; column < width; ++column, site += right, to += fine) {
        const number = numbers[site], plain = rgba[number];
        if (fine === 1) {
          out[to] = plain;
          continue;
        }
        const id = ids[site], border = darker[number], last = fine - 1;
        const isRight = id !== 0 && column + 1 < width && ids[site + right] !== id;
        const isBelow = id !== 0 && row + 1 < height && ids[site + below] !== id;
        const isLeft = id !== 0 && column > 0 && ids[site - right] === 0;
        const isAbove = id !== 0 && row > 0 && ids[site - below] === 0;
        for (let y = 0, at = to; y < fine; ++y, at += w) {
          const inside = (isAbove && y === 0) || (isBelow && y === last) ? border : plain;
          for (let x = 0; x < fine; ++x) out[at + x] = inside;
          if (isLeft) out[at] = border;
          if (isRight) out[at + last] = border;
        }
      }
    this.buffer.getContext("2d").putImageData(this.image, 0, 0);
    this.plane = [width, height];
  }

  // The plane's place on the canvas, in its pixels.
  place() {
    const [width, height] = this.plane, { canvas } = this;
    const scale = Math.min((canvas.width * 0.94) / width, (canvas.height * 0.86) / height) * this.zoom;
    return { scale, left: canvas.width / 2 - (width * scale) / 2 + this.shift[0] * canvas.width, top: canvas.height * 0.52 - (height * scale) / 2 + this.shift[1] * canvas.height };
  }

  draw(background) {
    const { canvas, context, buffer } = this, scale = Math.min(window.devicePixelRatio, 2);
    const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    context.fillStyle = background;
    context.fillRect(0, 0, width, height);
    const at = this.place();
    context.imageSmoothingEnabled = at.scale * this.plane[0] < buffer.width;
    context.drawImage(buffer, at.left, at.top, this.plane[0] * at.scale, this.plane[1] * at.scale);
  }

  pick(x, y) {
    const at = this.place();
    const column = Math.floor((x * this.canvas.width - at.left) / at.scale), row = Math.floor((y * this.canvas.height - at.top) / at.scale);
    if (column < 0 || row < 0 || column >= this.plane[0] || row >= this.plane[1]) return -1;
    return this.index(column, row);
  }
}
