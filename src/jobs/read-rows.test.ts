// Tests how rows are read from files of every format, and the errors for invalid files.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { temporaryFile } from '../../test/support/temporary-file.ts'
import { Failure } from '../model/failures.ts'
import { arrayElements } from './json-array.ts'
import { maxLineLength } from './lines.ts'
import { readRows } from './read-rows.ts'
import { fileSource } from './row-source.ts'
import { type Row, rowFormatOf, sniffedFormat } from './rows.ts'

async function rowsOf(name: string, content: string | Uint8Array): Promise<Row[]> {
  await using file = await temporaryFile(name, content)
  const batches = await Array.fromAsync(readRows(fileSource(file.path)))
  return batches.flat()
}

const text = (row: number, value: string): Row => ({ row, is: 'text', text: value })
const blank = (row: number): Row => ({ row, is: 'blank' })

test('each line of text is a row; empty lines and comments are only counted', async () => {
  const rows = await rowsOf(
    'urls.txt',
    '\uFEFFhttps://a.example/\r\n\n# note\n  "https://b.example/"  \nlast',
  )
  assert.deepEqual(rows, [
    text(1, 'https://a.example/'),
    blank(2),
    blank(3),
    text(4, 'https://b.example/'),
    text(5, 'last'),
  ])
})

test('a compressed file is detected by its bytes, whatever its name', async () => {
  assert.deepEqual(await rowsOf('urls.txt', gzipSync('one\ntwo\n')), [text(1, 'one'), text(2, 'two')])
})

test('UTF-16 rows are decoded by their byte order mark', async () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('https://ä.example/\nzwei', 'utf16le')])
  assert.deepEqual(await rowsOf('urls.txt', bytes), [text(1, 'https://ä.example/'), text(2, 'zwei')])
})

test('an overlong line becomes one rejected row, and the next line is read normally', async () => {
  const rows = await rowsOf('urls.txt', `${'x'.repeat(maxLineLength + 500_000)}\nnext\n`)
  assert.deepEqual(
    rows.map(row => [row.row, row.is]),
    [
      [1, 'bad'],
      [2, 'text'],
    ],
  )
  const [first] = rows
  assert.ok(first?.is === 'bad' && first.text.length <= 200)
})

test('an empty file has no rows', async () => {
  for (const name of ['a.txt', 'a.csv', 'a.tsv', 'a.jsonl'])
    assert.deepEqual(await rowsOf(name, ''), [], name)
})

test('however a file is split, each line is a row with its line number', async () => {
  const lines = fc.array(
    fc.string({ unit: 'grapheme', maxLength: 30 }).map(line => line.replace(/[\r\n]/g, '')),
    { maxLength: 40 },
  )
  await fc.assert(
    fc.asyncProperty(lines, fc.constantFrom('\n', '\r\n'), async (written, ending) => {
      const rows = await rowsOf('any.txt', written.map(line => line + ending).join(''))
      assert.deepEqual(
        rows.map(({ row }) => row),
        written.map((_, index) => index + 1),
      )
    }),
    { numRuns: 30 },
  )
})

test('a CSV names its columns in the first line; quotes and line breaks inside cells are kept', async () => {
  const rows = await rowsOf('items.csv', 'url,name\nhttps://a.example/,"A, ""the"" first\nline"\n,\n')
  assert.deepEqual(rows, [
    { row: 3, is: 'object', value: { url: 'https://a.example/', name: 'A, "the" first\nline' } },
    { row: 4, is: 'blank' },
  ])
})

test('a row with too many or too few cells is reported, and the other rows are read', async () => {
  const rows = await rowsOf('items.csv', 'a,b\n1\n1,2\n1,2,3\n')
  assert.deepEqual(
    rows.map(({ is }) => is),
    ['bad', 'object', 'bad'],
  )
  assert.match((rows[0] as { reason: string }).reason, /1 cells, but the first line has 2 columns/)
})

test('a TSV is split at its tabs', async () => {
  const [row] = await rowsOf('items.tsv', 'a\tb\n1,5\t2\n')
  assert.deepEqual(row, { row: 2, is: 'object', value: { a: '1,5', b: '2' } })
})

test('JSON lines are objects or URLs; other values are reported with their line', async () => {
  const rows = await rowsOf('items.jsonl', '{"a":1}\n"https://a.example/"\n\n[1]\n{"a":\n7\n')
  assert.deepEqual(
    rows.map(({ row, is }) => [row, is]),
    [
      [1, 'object'],
      [2, 'text'],
      [3, 'blank'],
      [4, 'bad'],
      [5, 'bad'],
      [6, 'bad'],
    ],
  )
})

test('a JSON file contains an array of rows', async () => {
  const rows = await rowsOf('items.json', '["https://a.example/", {"a": 1}, null]')
  assert.deepEqual(
    rows.map(({ row, is }) => [row, is]),
    [
      [1, 'text'],
      [2, 'object'],
      [3, 'bad'],
    ],
  )
})

for (const { name, content, says } of [
  { name: 'items.json', content: '{"a": 1}', says: /is not a JSON array of rows/ },
  {
    name: 'items.json',
    content: '[1, 2',
    says: /is not JSON: the array is not closed; it ends after 1 elements/,
  },
  { name: 'items.json', content: '[1] 2', says: /is not JSON: there is text after the end/ },
  { name: 'items.json', content: '  ', says: /is not a JSON array of rows/ },
  { name: 'items.csv', content: 'a,b\n1,"2\n', says: /items\.csv: Quote Not Closed/ },
  { name: 'urls.txt.gz', content: gzipSync('a\nb\n').subarray(0, 12), says: /can't be read to its end/ },
  { name: 'urls.csv.gz', content: gzipSync('a\nb\n').subarray(0, 12), says: /can't be read to its end/ },
])
  test(`the error for a broken ${name} says: ${says.source}`, async () => {
    await assert.rejects(rowsOf(name, content), { code: 'input.invalid', message: says })
  })

test('the error for a missing file names the file', async () => {
  await assert.rejects(Array.fromAsync(readRows(fileSource('/no/such/file.txt'))), {
    message: /\/no\/such\/file\.txt can't be read/,
  })
})

test('if a file breaks off, the rows before that position are returned first', async () => {
  await using file = await temporaryFile('half.csv', `url\n${'https://a.example/\n'.repeat(3)}"never closed`)
  const seen: Row[] = []
  await assert.rejects(async () => {
    for await (const rows of readRows(fileSource(file.path))) seen.push(...rows)
  })
  assert.equal(seen.length, 3)
})

test('the file name of a list selects its format', () => {
  const names = ['a.txt', 'a.CSV', 'a.tsv.gz', 'a.ndjson', 'a.jsonl', 'a.json', 'a', 'a.log']
  assert.deepEqual(names.map(rowFormatOf), ['txt', 'csv', 'tsv', 'jsonl', 'jsonl', 'json', null, null])
})

test('without a known extension, the first line decides', () => {
  const formats: Array<[string, string]> = [
    ['[1]', 'json'],
    ['\uFEFF  {"url":1}', 'jsonl'],
    ['https://a.example/?x=1,2', 'txt'],
    ['# a comment, with a comma', 'txt'],
    ['name,url', 'csv'],
    ['name\turl', 'tsv'],
    ['url\nhttps://a.example', 'csv'],
    ['nonsense', 'txt'],
    ['', 'txt'],
  ]
  for (const [text, format] of formats) assert.equal(sniffedFormat(text), format, text)
})

test('a compressed file without a known extension is detected by its content', async () => {
  const [row] = await rowsOf('rows.gz', gzipSync('url,name\nhttps://a.example/,A\n'))
  assert.deepEqual(row, { row: 2, is: 'object', value: { url: 'https://a.example/', name: 'A' } })
})

test('rows are read from any source of bytes, in chunks of any size', async () => {
  const bytes = gzipSync('https://a.example/ä\nzwei\n')
  const open = async function* () {
    for (const byte of bytes) yield Buffer.from([byte])
  }
  const rows = (await Array.fromAsync(readRows({ name: 'uploads/u/urls.txt', open }))).flat()
  assert.deepEqual(rows, [text(1, 'https://a.example/ä'), text(2, 'zwei')])
})

test('a storage error is not reported as a broken file', async () => {
  const open = async function* () {
    yield Buffer.from('one\n')
    throw new Failure('storage.failed', 'the bucket is gone')
  }
  await assert.rejects(Array.fromAsync(readRows({ name: 'urls.txt', open })), { code: 'storage.failed' })
})

test('the elements of a JSON array are parsed correctly, wherever the chunks of the text end', async () => {
  const values = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(values, fc.integer({ min: 1, max: 20 }), async (elements, size) => {
      const written = JSON.stringify(elements, null, size % 3)
      const pieces = async function* () {
        for (let at = 0; at < written.length; at += size) yield written.slice(at, at + size)
      }
      const lines = (await Array.fromAsync(arrayElements(pieces(), 'rows.json'))).flat()
      assert.deepEqual(
        lines.map(({ text }) => JSON.parse(text)),
        JSON.parse(written),
      )
    }),
  )
})

test('each invalid or overlong element of a JSON array becomes one rejected row', async () => {
  const long = JSON.stringify({ name: 'x'.repeat(maxLineLength) })
  const rows = await rowsOf('items.json', `["https://a.example/", {"a": }, ${long}, {"b": 1},]`)
  assert.deepEqual(
    rows.map(({ is }) => is),
    ['text', 'bad', 'bad', 'object'],
  )
})

const tables: Array<[what: string, name: string, content: string]> = [
  ['semicolons', 'list.csv', 'url;name\nhttps://a.example/;"A; B"\n'],
  ['tabs in a .csv', 'list.csv', 'url\tname\nhttps://a.example/\tA; B\n'],
  ['vertical bars', 'list.csv', 'url|name\nhttps://a.example/|A; B\n'],
  ['a line sep=', 'list.csv', 'sep=;\r\nurl;name\r\nhttps://a.example/;"A; B"\r\n'],
  ['a byte order mark and a line sep=', 'list.csv', '\uFEFFsep=;\nurl;name\nhttps://a.example/;"A; B"\n'],
  ['commas in quoted names', 'list.csv', '"url";"name"\nhttps://a.example/;"A; B"\n'],
  ['semicolons in a .tsv', 'list.tsv', 'url;name\nhttps://a.example/;"A; B"\n'],
  ['semicolons over stdin', 'stdin-1', 'url;name\nhttps://a.example/;"A; B"\n'],
  ['a line sep= over stdin', 'stdin-1', 'sep=|\nurl|name\nhttps://a.example/|A; B\n'],
]
for (const [what, name, content] of tables)
  test(`a table is split at its own delimiter: ${what}`, async () => {
    const rows = (await rowsOf(name, content)).map(row => ('value' in row ? row.value : row))
    assert.deepEqual(rows, [{ url: 'https://a.example/', name: 'A; B' }])
  })

test('line ends and delimiters inside a quoted column name are not taken as the delimiter of the table', async () => {
  const rows = await rowsOf('list.csv', 'url,"a;b;c;d\n;;;;"\nhttps://a.example/,1\n')
  assert.deepEqual(
    rows.map(row => 'value' in row && row.value),
    [{ url: 'https://a.example/', 'a;b;c;d\n;;;;': '1' }],
  )
})

test('the line "sep=" counts in row numbers', async () => {
  const [row] = await rowsOf('list.csv', 'sep=;\nurl;name\nhttps://a.example/;x\n')
  assert.equal(row!.row, 3)
})

test('reading of a gzip bomb ends with an error that gives the reason', async () => {
  await assert.rejects(
    rowsOf('rows.txt.gz', gzipSync(Buffer.alloc(8_000_000, 'a\n'))),
    (error: Failure) => error.code === 'input.invalid' && /more than 200 times its size/.test(error.message),
  )
})

test('rows of a file are returned while the file is read, and are not all collected in memory', async () => {
  const chunk = Buffer.alloc(1 << 18, '\n')
  let read = 0
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from('url\n')
    for (;;) {
      read += 1
      yield chunk
    }
  }
  const rows = readRows({ name: 'rows.csv', open: endless })
  await rows.next()
  await rows.return?.(undefined)
  assert.ok(read <= 8, `${read} chunks were read for the first batch`)
})
