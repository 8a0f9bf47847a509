/** Reduces a PNG to at most 256 colours. */
import { deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const MOST_COLOURS = 256
/** Sum of the differences of red, green and blue. */
const SIMILAR = 9
/** Bytes per pixel by the header's colour type: RGB and RGBA. */
const CHANNELS: Readonly<Record<number, number>> = { 2: 3, 6: 4 }

type Picture = {
  width: number
  height: number /** A number 0xRRGGBB for each. */
  pixels: Uint32Array
}

/** The size of a PNG. */
export const sizeOf = (png: Buffer): { width: number; height: number } => ({
  width: png.readUInt32BE(16),
  height: png.readUInt32BE(20)
})

/** The picture as an indexed PNG; rare colours become the nearest frequent ones. */
export function smaller(png: Buffer): Buffer {
  const picture = decoded(png)
  const { width, height, pixels } = picture
  const counts = new Map<number, number>()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const { palette, places } = paletteOf(counts)
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + 1 + x] = places.get(pixels[y * width + x] as number) as number
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.from(
    palette.flatMap(colour => [colour >> 16, (colour >> 8) & 255, colour & 255])
  )
  const data = deflateSync(rows, { level: 9, memLevel: 9 })
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0))
  ])
}

/** The most frequent colours that differ; each of the others becomes the nearest of them. */
function paletteOf(counts: ReadonlyMap<number, number>): {
  palette: number[]
  places: Map<number, number>
} {
  const palette: number[] = []
  for (const [colour] of [...counts].sort(([, first], [, second]) => second - first))
    if (
      palette.length < MOST_COLOURS &&
      palette.every(chosen => distance(chosen, colour) > SIMILAR)
    )
      palette.push(colour)
  const nearest = (colour: number) => {
    const distances = palette.map(candidate => distance(candidate, colour))
    return distances.indexOf(Math.min(...distances))
  }
  return { palette, places: new Map([...counts.keys()].map(colour => [colour, nearest(colour)])) }
}

const distance = (first: number, second: number) =>
  [16, 8, 0].reduce(
    (sum, bits) => sum + Math.abs(((first >> bits) & 255) - ((second >> bits) & 255)),
    0
  )

function decoded(png: Buffer): Picture {
  const { width, height } = sizeOf(png)
  const channels = CHANNELS[png[25] as number] as number
  const parts: Buffer[] = []
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  const raw = inflateSync(Buffer.concat(parts))
  const stride = width * channels
  const bytes = new Uint8Array(stride * height)
  const at = (x: number, y: number) => (x < 0 || y < 0 ? 0 : (bytes[y * stride + x] as number))
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] as number
    for (let x = 0; x < stride; x++) {
      const [left, up, corner] = [
        at(x - channels, y),
        at(x, y - 1),
        x < channels ? 0 : at(x - channels, y - 1)
      ]
      const expected = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] as number
      bytes[y * stride + x] = (raw[y * (stride + 1) + 1 + x] as number) + expected
    }
  }
  const pixels = Uint32Array.from({ length: width * height }, (_, place) => {
    const [red, green, blue] = bytes.subarray(place * channels) as unknown as [
      number,
      number,
      number
    ]
    return (red << 16) | (green << 8) | blue
  })
  return { width, height, pixels }
}

function paeth(left: number, up: number, corner: number): number {
  const expected = left + up - corner
  const [byLeft, byUp, byCorner] = [
    Math.abs(expected - left),
    Math.abs(expected - up),
    Math.abs(expected - corner)
  ]
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(named, 4)
  framed.writeUInt32BE(checksumOf(named), named.length + 4)
  return framed
}

/** CRC-32, as used in PNG. */
function checksumOf(bytes: Buffer): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return (sum ^ 0xffffffff) >>> 0
}
