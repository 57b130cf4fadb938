// Reads width and height of PNG, GIF, JPEG, WebP and BMP images from their first bytes.

interface ImageSize {
  width: number
  height: number
}

/** Null for other formats, and for broken or truncated headers. */
export function imageSize(body: Uint8Array): ImageSize | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  try {
    const size = sizeOf(bytes)
    return size && size.width > 0 && size.height > 0 ? size : null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function sizeOf(bytes: Buffer): ImageSize | null {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG')) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (start.startsWith('GIF8')) return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  if (start.startsWith('BM')) return { width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) }
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return webpSize(bytes)
  return start.startsWith('\xff\xd8') ? jpegSize(bytes) : null
}

function webpSize(bytes: Buffer): ImageSize | null {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
    }
    default:
      return null
  }
}

/** Skips segments until the frame header. Each segment states its length. */
function jpegSize(bytes: Buffer): ImageSize | null {
  for (let at = 2; bytes.readUInt8(at) === 0xff; ) {
    const marker = bytes.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}
