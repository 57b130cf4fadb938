// Tests list jobs: rows of files of every format, and counts that add up.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestSite, type TestSite } from '../site/index.ts'
import { Workplace } from './run-cli.ts'

const quick = (site: TestSite) => [
  '--rate',
  'unlimited',
  '--allow-private',
  `${site.host}:${site.port}`,
  '--quiet',
]
const vector = async (name: string) =>
  JSON.parse(await readFile(new URL(`../vectors/bad-inputs/${name}`, import.meta.url), 'utf8'))

for (const { file, bytes } of [
  { file: 'urls.txt', bytes: (site: TestSite) => `${site.url}/about\n\n# a comment\n${site.url}/jobs\n` },
  {
    file: 'urls.csv',
    bytes: (site: TestSite) => `name,link\nabout,${site.url}/about\njobs,${site.url}/jobs\n`,
  },
  {
    file: 'urls.tsv',
    bytes: (site: TestSite) => `name\turl\nabout\t${site.url}/about\njobs\t${site.url}/jobs\n`,
  },
  {
    file: 'urls.json',
    bytes: (site: TestSite) => JSON.stringify([`${site.url}/about`, { url: `${site.url}/jobs` }]),
  },
  { file: 'urls.jsonl', bytes: (site: TestSite) => `"${site.url}/about"\n{"url":"${site.url}/jobs"}\n` },
  { file: 'urls.txt.gz', bytes: (site: TestSite) => gzipSync(`${site.url}/about\n${site.url}/jobs\n`) },
]) {
  test(`${file} gives a record for each of its rows`, async () => {
    await using site = await startTestSite()
    await using place = await Workplace.open()
    await writeFile(place.file(file), bytes(site))
    const { code, stderr } = await place.run(['run', file, ...quick(site), '-o', 'out.jsonl'])
    assert.equal(code, 0, stderr)
    const urls = (await place.records('out.jsonl')).map(record => record._page.url)
    assert.deepEqual(urls.sort(), [`${site.url}/about`, `${site.url}/jobs`])
  })
}

test('columns of an input row become part of the records: flat columns for Excel, and _input for CSV', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await writeFile(place.file('list.csv'), `sku;link\r\n0012;${site.url}/about\r\n`, 'utf16le')
  const first = ['run', 'list.csv', ...quick(site), '-o', 'out.jsonl', '-o', 'out.xlsx', '--keep-columns']
  assert.equal((await place.run(first)).code, 0)
  const [flat] = await place.records('out.jsonl')
  assert.deepEqual([flat?.sku, flat?.link], ['0012', `${site.url}/about`])

  const second = ['run', 'out.xlsx', '--url-column', 'link', ...quick(site), '-o', 'again.jsonl']
  const { code, stderr } = await place.run(second)
  assert.equal(code, 0, stderr)
  const [nested] = (await place.records('again.jsonl')) as Array<{ _input?: Record<string, string> }>
  assert.deepEqual([nested?._input?.sku, nested?._input?._page_status], ['0012', '200'])
})

test('rows can be read from stdin, and written as CSV', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const { code, stderr } = await place.run(['run', '-', ...quick(site), '-o', 'out.csv'], {
    stdin: `${site.url}/about\n`,
  })
  assert.equal(code, 0, stderr)
  assert.match(await readFile(place.file('out.csv'), 'utf8'), /\/about/)
})

test('bad lines are listed with line number and reason, the other lines run, and the counts add up', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const { lines } = (await vector('urllist-bad-lines.json')) as { lines: string[] }
  const all = [
    ...lines.filter(line => !/a\.example\/(dup|quoted|bom|‮)/.test(line)),
    `${site.url}/about`,
    `${site.url}/about#part`,
    '',
    'not a url',
    `${site.url}/jobs`,
  ]
  await writeFile(place.file('urls.txt'), all.join('\n'))
  const { code } = await place.run(['run', 'urls.txt', ...quick(site), '-o', 'out.jsonl', '--job', 'mixed'])
  assert.equal(code, 0)
  const { ingest, counts } = JSON.parse((await place.run(['jobs', 'show', 'mixed', '--json'])).stdout)
  assert.equal(ingest.rows, all.length)
  assert.equal(counts.tasks + ingest.duplicates + ingest.rejected + ingest.blank, all.length)
  assert.equal(counts.tasks, 2)
  assert.equal(ingest.duplicates, 1)
  const rejected = (await place.run(['jobs', 'show', 'mixed', '--rejected'])).stdout
  for (const [index, line] of all.entries())
    if (line === 'not a url') assert.match(rejected, new RegExp(`line ${index + 1}: `))
  assert.match(rejected, /127\.0\.0\.1/)
})

test('a list keeps rows that redirect to the same page or have the same body', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await writeFile(
    place.file('urls.txt'),
    `${site.url}/duplicate/a\n${site.url}/duplicate/b\n${site.url}/redirect/status/301?to=/about\n${site.url}/about\n`,
  )
  const { code, stderr } = await place.run(['run', 'urls.txt', ...quick(site), '-o', 'out.jsonl'])
  assert.equal(code, 0, stderr)
  assert.equal((await place.records('out.jsonl')).length, 4)
})
