// Tests how forms are parsed, from ordinary and from hostile clients.
import assert from 'node:assert/strict'
import test from 'node:test'
import { formParts } from './form-parts.ts'

const type = 'multipart/form-data; boundary=edge'
const form = (...parts: string[]) =>
  Buffer.from(`${parts.map(part => `--edge\r\n${part}\r\n`).join('')}--edge--\r\n`)

test('a form that Node encodes is parsed to the same fields as by Node', async () => {
  const sent = new FormData()
  sent.set('options', '{"formats":["markdown"]}')
  sent.set('file', new File([new Uint8Array([0, 13, 10, 45, 45, 255])], 'a "ü" b.bin', { type: 'image/png' }))
  const given = new Response(sent)
  const body = Buffer.from(await given.arrayBuffer())
  const parts = formParts(body, given.headers.get('content-type')!)
  assert.deepEqual(
    parts.map(({ name, fileName, type, body }) => ({ name, fileName, type, bytes: body.toString('hex') })),
    [
      {
        name: 'options',
        fileName: null,
        type: '',
        bytes: Buffer.from('{"formats":["markdown"]}').toString('hex'),
      },
      { name: 'file', fileName: 'a "ü" b.bin', type: 'image/png', bytes: '000d0a2d2dff' },
    ],
  )
})

test('an empty field, a quoted boundary and an encoded file name are parsed', () => {
  const [part] = formParts(
    form(`content-disposition: form-data; name="file"; filename="x"; filename*=UTF-8''%C3%BC.txt\r\n\r\n`),
    'multipart/form-data; charset=utf-8; boundary="edge"',
  )
  assert.deepEqual([part!.name, part!.fileName, part!.body.length], ['file', 'ü.txt', 0])
})

test('a form that is not terminated, has too long headers, an unnamed field or too many fields is refused', () => {
  const field = 'content-disposition: form-data; name="a"\r\n\r\n'
  const refused: Array<[Buffer, RegExp]> = [
    [Buffer.from('--edge\r\n'), /no end/],
    [Buffer.from(`--edge\r\n${field}text`), /no end/],
    [Buffer.from('text'), /begin with its boundary/],
    [form(`x: ${'y'.repeat(10_000)}\r\n${field}`), /header is too long/],
    [form('content-type: text/plain\r\n\r\nx'), /no name/],
    [form(...Array<string>(100_000).fill(field)), /20 fields/],
  ]
  for (const [body, message] of refused) assert.throws(() => formParts(body, type), message)
  assert.throws(() => formParts(form(field), 'multipart/form-data'), /boundary/)
})
