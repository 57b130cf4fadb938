// Tests reading the size of images from their first bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageSize } from './image-size.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const images: Record<string, Buffer> = {
  png: hex('89504e470d0a1a0a 0000000d 49484452 00000140 000000c8 0806000000'),
  gif: hex('474946383961 4001 c800 f70000'),
  jpeg: hex('ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 0011 08 00c8 0140 03012200'),
  webp: hex('52494646 00000000 57454250 56503858 0a000000 00000000 3f0100 c70000'),
  bmp: hex('424d 00000000 00000000 36000000 28000000 40010000 38ffffff'),
}

for (const [name, bytes] of Object.entries(images))
  test(`the size of a ${name} is read, and a truncated image has no size`, () => {
    assert.deepEqual(imageSize(bytes), { width: 320, height: 200 })
    assert.equal(imageSize(bytes.subarray(0, 8)), null)
  })
