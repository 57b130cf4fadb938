// Tests that other tools read our WARC records, and that a page is read back as it was written.
import assert from 'node:assert/strict'
import test from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { WARCParser } from 'warcio'
import { somePage } from '../../test/support/results-parts.ts'
import { base32, newRecordId, warcInfo, warcRecord } from './warc.ts'
import { pageOfRecord, readWarcRecord } from './warc-reader.ts'

const info = () => warcInfo({ recordId: newRecordId(), date: 0, software: 'kscrape', filename: 'a.warc.gz' })

async function parse(bytes: Buffer) {
  const records = []
  for await (const record of new WARCParser([bytes])) {
    const content = Buffer.from(await record.readFully(false))
    records.push({ record, content })
  }
  return records
}

test('a web archive tool reads the segment record by record', async () => {
  const pages = [
    somePage(),
    somePage({ finalUrl: 'https://shop.example/p/2', status: 404, remoteAddress: null }),
  ]
  const bytes = Buffer.concat([info(), ...pages.map(page => warcRecord(page))])

  const [first, second, third, ...more] = await parse(bytes)

  assert.equal(first?.record.warcType, 'warcinfo')
  assert.match(first.content.toString(), /^software: kscrape\r\nformat: WARC File Format 1.1\r\n/)
  assert.equal(second?.record.warcTargetURI, 'https://shop.example/p/1')
  assert.equal(second.record.warcDate, '2026-03-04T05:06:07.089Z')
  assert.equal(second.record.httpHeaders?.statusCode, 200)
  assert.deepEqual(second.content, somePage().body)
  assert.equal(third?.record.httpHeaders?.statusCode, 404)
  assert.equal(more.length, 0)
})

test('the payload digest equals the one that the archive tool computes', async () => {
  const [only] = await parse(warcRecord(somePage()))
  const { createHash } = await import('node:crypto')
  const expected = `sha1:${base32(createHash('sha1').update(only!.content).digest())}`

  assert.equal(only?.record.warcPayloadDigest, expected)
  assert.equal(base32(Buffer.from('foobar')), 'MZXW6YTBOI')
})

test('headers describe the decoded body, and the size on the wire is stored too', () => {
  const { httpHeaders } = readWarcRecord(warcRecord(somePage()))

  assert.deepEqual(
    httpHeaders.filter(([name]) => /encoding|length/i.test(name)),
    [
      ['x-orig-content-encoding', 'gzip'],
      ['x-orig-content-length', '321'],
      ['Content-Length', String(somePage().body.length)],
    ],
  )
})

test('any page is read back from a WARC as it was stored', () => {
  const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/).filter(name => !name.startsWith('x-orig-'))
  const value = fc.stringMatching(/^([!-~\xa1-\xff]([ -~\xa1-\xff]{0,20}[!-~\xa1-\xff])?)?$/)
  const page = fc.record({
    finalUrl: fc.webUrl(),
    url: fc.webUrl(),
    status: fc.integer({ min: 200, max: 599 }),
    headers: fc.array(
      fc.tuple(fc.oneof(token, fc.constantFrom('content-length', 'content-encoding')), value),
    ),
    body: fc.uint8Array({ maxLength: 2_000 }).map(bytes => Buffer.from(bytes)),
    wireBytes: fc.nat(),
    hops: fc.array(
      fc.record(
        { from: fc.webUrl(), to: fc.webUrl(), status: fc.constantFrom(301, 302) },
        { noNullPrototype: true },
      ),
    ),
    remoteAddress: fc.option(fc.ipV4()),
    httpVersion: fc.constantFrom('1.1' as const, '2' as const),
  })
  const asked = fc.option(fc.array(fc.tuple(token, fc.string())))
  fc.assert(
    fc.property(page, asked, (change, requestHeaders) => {
      const kept = somePage({ ...change, ...(requestHeaders && { requestHeaders }) })
      assert.deepEqual(pageOfRecord(readWarcRecord(warcRecord(kept))), kept)
    }),
  )
})

test('no header or URL of a page can start a new line in a WARC', () => {
  const evil = 'x\r\nWARC-Type: request\u010a\u010dInjected: 1'
  const page = somePage({ headers: [['x-evil', evil]], finalUrl: `https://a.example/\r\nInjected: 1` })
  const record = readWarcRecord(warcRecord(page))
  const lines = gunzipSync(warcRecord(page)).toString('latin1').split('\r\n')

  assert.equal(record.httpHeaders.length, 2)
  assert.ok(!lines.some(line => /^(Injected|WARC-Type: request)/.test(line)))
})

test('a damaged WARC record is an error', () => {
  const bytes = warcRecord(somePage())
  const flipped = Buffer.from(bytes)
  flipped[40]! ^= 0xff

  assert.throws(() => readWarcRecord(bytes.subarray(0, 100)), { code: 'storage.failed' })
  assert.throws(() => readWarcRecord(flipped), { code: 'storage.failed' })
  assert.throws(() => readWarcRecord(Buffer.from('plain')), { code: 'storage.failed' })
})
