// Tests how the encoding of a file is detected: however its bytes are split, and even with one broken character.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodedText } from './decode-text.ts'

async function decoded(bytes: Buffer, pieceBytes = bytes.length): Promise<string> {
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += Math.max(1, pieceBytes))
      yield bytes.subarray(at, at + pieceBytes)
  }
  return (await Array.fromAsync(decodedText(pieces()))).join('')
}

const words = 'https://a.example/größe\nhttps://a.example/日本\nhttps://a.example/naïve\n'

test('UTF-8 is detected, however the bytes are split', async () => {
  for (const size of [1, 2, 3, 7, 100]) assert.equal(await decoded(Buffer.from(words), size), words)
})

test('UTF-16 is detected by its byte order mark, or by its zero bytes', async () => {
  const little = Buffer.from(words, 'utf16le')
  const big = Buffer.from(little).swap16()
  assert.equal(await decoded(Buffer.concat([Buffer.from([0xff, 0xfe]), little]), 3), words)
  assert.equal(await decoded(Buffer.concat([Buffer.from([0xfe, 0xff]), big]), 3), words)
  assert.equal(await decoded(little), words)
  assert.equal(await decoded(big), words)
})

test('bytes that cannot be UTF-8 are read as windows-1252', async () => {
  assert.equal(await decoded(Buffer.from('Größe;Café\nna\u00efve\n', 'latin1')), 'Größe;Café\nnaïve\n')
  assert.equal(await decoded(Buffer.from([0x80, 0x20, 0x93, 0x41, 0x94])), '€ “A”')
})

test('one broken character does not change the encoding of the whole file', async () => {
  const broken = Buffer.concat([Buffer.from('bad \xff here\n', 'latin1'), Buffer.from(words)])
  assert.equal(await decoded(broken), `bad \ufffd here\n${words}`)
})

test('the encoding is decided at the first non-ASCII character, however late it is', async () => {
  const plain = 'https://a.example/page\n'.repeat(20_000)
  assert.equal(await decoded(Buffer.from(plain + words), 65_536), plain + words)
  assert.equal(await decoded(Buffer.from(`${plain}Größe\n`, 'latin1'), 65_536), `${plain}Größe\n`)
})

test('an empty file is decoded as empty text', async () => {
  assert.equal(await decoded(Buffer.alloc(0)), '')
})
