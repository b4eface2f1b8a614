// Frames as the run packs them; src/view/frame.hpp says how.

// Where a site that is shown lies on its axis: as thinned_place of src/core/thinning.hpp.
export const placeOf = (at, step, length) => Math.min(at * step + (step >> 1), length - 1);

const kinds = { u8: Uint8Array, u16: Uint16Array, f32: Float32Array };

function unpackRows(bytes, chunkLengths, width, rows, to) {
  const chunks = chunkLengths.length;
  let at = 0;
  for (let chunk = 0; chunk < chunks; ++chunk) {
    const end = at + chunkLengths[chunk];
    const first = Math.floor((rows * chunk) / chunks), last = Math.floor((rows * (chunk + 1)) / chunks);
    let out = first * width;
    const start = out, stop = last * width;
    while (out < stop && at < end) {
      let token = 0, shift = 1, byte;
      do { byte = bytes[at++]; token += (byte & 127) * shift; shift *= 128; } while (byte & 128);
      const length = token >> 1;
      if ((token & 1) === 0) {
        if (out - width >= start) to.copyWithin(out, out - width, out - width + length);
        else to.fill(0, out, out + length);
      } else {
        let value = 0;
        shift = 1;
        do { byte = bytes[at++]; value += (byte & 127) * shift; shift *= 128; } while (byte & 128);
        to.fill(value, out, out + length);
      }
      out += length;
    }
    at = end;
  }
}

// `ids` is taken again where it fits: a lattice's worth of memory for each frame would be much.
export function readFrame(buffer, old) {
  const length = new DataView(buffer).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const frame = { ...header, size: [header.nx, header.ny, header.nz], columns: {}, field_name: header.field ?? "" };
  const sites = header.nx * header.ny * header.nz;
  const again = (name, Kind) => (old?.[name]?.length === sites ? old[name] : new Kind(sites));
  for (const block of header.blocks) {
    const offset = 8 + length + block.offset;
    if (block.kind === "rows") {
      const to = block.name === "ids" ? (frame.ids = again("ids", Uint32Array)) : (frame.values = again("values", Uint8Array));
      unpackRows(new Uint8Array(buffer, offset, block.bytes), block.chunks.split(" ").map(Number), header.nx, header.ny * header.nz, to);
    } else {
      frame.columns[block.name] = new kinds[block.kind](buffer, offset, block.count);
    }
  }
  return frame;
}
