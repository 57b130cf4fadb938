// Tests golden files of other formats: feeds, JSON, text, PDF and downloads. UPDATE_GOLDEN=1 rewrites the expected records.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { downloadRecord } from '../../src/extract/formats/download.ts'
import { formatOf } from '../../src/extract/formats/format-of.ts'
import { pdfContent, pdfDate, pdfRecord } from '../../src/extract/formats/pdf.ts'
import { PdfReader } from '../../src/extract/formats/pdf-reader.ts'
import { linksOfText, readTextual, textRecords } from '../../src/extract/formats/text.ts'
import type { Extracted } from '../../src/model/record.ts'
import { coerce } from '../../src/normalize/index.ts'

const folder = join(import.meta.dirname, '../golden/formats')
const isUpdating = process.env.UPDATE_GOLDEN !== undefined
const pdf = new PdfReader()
after(() => pdf[Symbol.asyncDispose]())

const notesOf = (name: string) => {
  const url = `https://golden.example/files/${name}`
  return { url, finalUrl: url, status: 200, fetchedAt: 0 }
}
const bytesOf = (name: string): Buffer => readFileSync(join(folder, name))

async function recordsOf(name: string, contentType: string): Promise<Extracted[]> {
  const body = bytesOf(name)
  const download = { contentType, disposition: null, body }
  const format = formatOf(contentType, body)
  if (format === 'text') return textRecords(notesOf(name), readTextual(contentType, body.toString()), coerce)
  if (format === 'pdf')
    return [pdfRecord(notesOf(name), download, pdfContent(notesOf(name), await pdf.read(body)))]
  return [downloadRecord(notesOf(name), download)]
}

const files: Array<[name: string, contentType: string]> = [
  ['rss.xml', 'application/rss+xml'],
  ['atom.xml', 'text/xml'],
  ['feed.json', 'application/feed+json'],
  ['data.json', 'application/json'],
  ['table.csv', 'text/csv'],
  ['notes.md', 'text/markdown'],
  ['moorings.pdf', 'application/octet-stream'],
  ['blob.zip', 'application/zip'],
]

for (const [name, contentType] of files) {
  test(`the file "${name}" gives the expected records`, async () => {
    const records = (await recordsOf(name, contentType)).map(record => record.data)
    const path = join(folder, `${name}.records.json`)
    const actual = `${JSON.stringify(records, null, 2)}\n`
    if (isUpdating) writeFileSync(path, actual)
    assert.equal(actual, readFileSync(path, 'utf8'))
  })
}

const linksIn = (name: string, type: string) =>
  linksOfText(readTextual(type, bytesOf(name).toString()), notesOf(name).finalUrl)?.hrefs

test('the links of a feed are the pages of its entries and the next part of the feed', () => {
  assert.deepEqual(linksIn('rss.xml', 'text/xml'), [
    'https://tide.example/boats',
    '/rope',
    'https://tide.example/feed.xml?page=2',
  ])
  assert.deepEqual(linksIn('atom.xml', 'text/xml'), [
    'https://notes.example/bold',
    'https://notes.example/atom?page=2',
  ])
  assert.equal(linksIn('feed.json', 'application/json')?.at(-1), 'https://harbour.example/feed.json?page=2')
  assert.equal(linksIn('data.json', 'application/json'), undefined)
})

test('a truncated feed gives the entries before the cut', () => {
  const whole = bytesOf('rss.xml').toString()
  const cut = whole.slice(0, whole.indexOf('<description>Knots'))
  assert.equal(textRecords(notesOf('rss.xml'), readTextual('text/xml', cut), coerce).length, 1)
})

test('invalid or endlessly nested JSON becomes text, with the reason', () => {
  for (const text of ['{"a":', '['.repeat(100_000) + ']'.repeat(100_000)]) {
    const [record] = textRecords(notesOf('a.json'), readTextual('application/json', text), coerce)
    assert.equal(record!.data.data, null)
    assert.match(record!.provenance.data!.why!, /not JSON|nested deeper than 200/)
    assert.equal(record!.data.text, text)
  }
})

test('a PDF that cannot be read fails with the reason', async () => {
  const answer = await pdf.read(Buffer.from('%PDF-1.7\nnothing of the kind'))
  assert.throws(() => pdfContent(notesOf('broken.pdf'), answer), {
    code: 'content.unreadable',
    message: /broken\.pdf is a PDF that cannot be read: (?!it can't).+/,
  })
})

test('a PDF that takes too long is aborted, and the next one is parsed', async () => {
  await using hasty = new PdfReader({ timeoutMs: 1 })
  const slow = await hasty.read(bytesOf('moorings.pdf'))
  assert.deepEqual(slow, { why: 'not read within 1 ms' })
  assert.ok('content' in (await pdf.read(bytesOf('moorings.pdf'))))
})

test('the parsing of a small PDF that decompresses to hundreds of megabytes is aborted', async () => {
  await using reader = new PdfReader({ maxMemoryBytes: 100_000_000 })
  const answer = await reader.read(pdfWith(deflateSync(Buffer.alloc(200_000_000, ' '), { level: 1 })))
  assert.deepEqual(answer, { why: 'it takes more than 100000000 bytes of memory' })
  assert.ok('content' in (await reader.read(bytesOf('moorings.pdf'))))
})

/** A PDF of one page with this compressed content. */
function pdfWith(packed: Buffer): Buffer {
  const parts = [
    '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n',
    '2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n',
    '3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << >> >>\nendobj\n',
    `4 0 obj\n<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`,
  ]
  // The PDF has no table of offsets, so readers must search for the objects.
  const end = '\nendstream\nendobj\ntrailer\n<< /Size 5 /Root 1 0 R >>\n%%EOF\n'
  return Buffer.concat([Buffer.from(parts.join('')), packed, Buffer.from(end)])
}

test('a damaged feed gives fewer entries, never an error', () => {
  const whole = bytesOf('atom.xml').toString()
  const place = fc.nat({ max: whole.length })
  fc.assert(
    fc.property(place, place, fc.string(), (from, to, put) => {
      const broken = whole.slice(0, from) + put + whole.slice(to)
      const records = textRecords(notesOf('atom.xml'), readTextual('text/xml', broken), coerce)
      assert.ok(records.every(({ data }) => data.status === 200))
    }),
    { numRuns: 500 },
  )
})

test('entities that a feed defines are not expanded', () => {
  const laughs = Array.from({ length: 20 }, (_, n) => `<!ENTITY l${n + 1} "&l${n};&l${n};">`).join('')
  const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY l0 "ha">${laughs}]><rss><channel><item><title>&l20;</title></item></channel></rss>`
  const [record] = textRecords(notesOf('bomb.xml'), readTextual('text/xml', bomb), coerce)
  assert.ok(String(record!.data.title).length < 100)
})

test('PDFs have limits on bytes, pages and characters', async () => {
  await using small = new PdfReader({ maxBytes: 10 })
  assert.deepEqual(await small.read(bytesOf('moorings.pdf')), { why: 'larger than 10 bytes' })
  await using short = new PdfReader({ maxPages: 1, maxCharacters: 8 })
  const answer = await short.read(bytesOf('moorings.pdf'))
  assert.ok('content' in answer)
  assert.deepEqual(answer.content.pages, ['Moorings'])
  assert.equal(answer.content.pageCount, 2)
})

test('partial dates of PDFs are parsed', () => {
  assert.equal(pdfDate("D:20240131093000+01'00'"), '2024-01-31T08:30:00.000Z')
  assert.equal(pdfDate('D:202402'), '2024-02-01')
  assert.equal(pdfDate('yesterday'), null)
  assert.equal(pdfDate('D:20249931'), null)
})

test('a downloaded file is named after its header, and a path in the header is ignored', () => {
  const named = (disposition: string | null, url = 'https://a.example/x/y%20z.zip') =>
    downloadRecord(
      { ...notesOf('a'), finalUrl: url },
      { contentType: 'application/zip', disposition, body: Buffer.from('a') },
    ).data.filename
  assert.equal(named('attachment; filename="../../etc/passwd"'), 'passwd')
  assert.equal(named("attachment; filename=a.zip; filename*=UTF-8''%C3%BC.zip"), 'ü.zip')
  assert.equal(named(null), 'y z.zip')
  assert.equal(named(null, 'https://a.example/'), null)
})
