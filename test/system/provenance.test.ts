// Tests how `jobs show` prints where fields came from: for the whole job, and for one task.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite } from '../site/index.ts'
import { Workplace } from './run-cli.ts'

const rules = `fields:
  name: h1
  price: { css: .price, as: money }
`
const pages = ['<h1>A</h1><p class=price>$1</p>', '<h1>B</h1><p class=price>$2</p>', '<h1>C</h1>']

async function ran() {
  const opened = new AsyncDisposableStack()
  const site = opened.use(await startTestSite())
  const place = opened.use(await Workplace.open())
  for (const [index, html] of pages.entries()) site.serve(`/${index}`, html)
  await writeFile(place.file('rules.yaml'), rules)
  await writeFile(place.file('urls.txt'), pages.map((_, index) => `${site.url}/${index}`).join('\n'))
  const flags = ['--allow-private', `${site.host}:${site.port}`, '--rate', 'unlimited', '-q', '-o', 'o.jsonl']
  const { code, stderr } = await place.run([
    ...['run', 'urls.txt', '--extract', 'rules.yaml', '--job', 'list'],
    ...flags,
  ])
  assert.equal(code, 0, stderr)
  return { place, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

test('for each field, a job shows where its values came from, how often, and why there was no value', async () => {
  await using opened = await ran()
  const { stdout } = await opened.place.run(['jobs', 'show', 'list'])
  assert.match(stdout, /sources of the fields of 3 records:/)
  assert.match(stdout, / name +css h1 3\n/)
  assert.match(stdout, / price +css \.price 2, none 1 \(nothing found by css \(\.price\)\)\n/)
  const { provenance } = JSON.parse((await opened.place.run(['jobs', 'show', 'list', '--json'])).stdout)
  assert.deepEqual(provenance, {
    records: 3,
    fields: {
      name: [{ from: 'css', by: 'h1', count: 3 }],
      price: [
        { from: 'css', by: '.price', count: 2 },
        { from: 'none', by: '.price', why: 'nothing found by css', count: 1 },
      ],
    },
  })
})

test('a task shows its attempts, and the source of each field of its records', async () => {
  await using opened = await ran()
  const { stdout } = await opened.place.run(['jobs', 'show', 'list', '--task', '3'])
  assert.match(stdout, /list\.3 {2}succeeded {2}ok\n/)
  assert.match(stdout, /attempt 1 at .*HTTP 200/)
  assert.match(stdout, / name +"C" {2}← css h1\n/)
  assert.match(stdout, / price +null {2}← nothing found by css \(\.price\)/)
  const told = JSON.parse(
    (await opened.place.run(['jobs', 'show', 'list', '--task', 'list.1', '--json'])).stdout,
  )
  assert.deepEqual(told.records[0].data, { name: 'A', price: { amount: 1, currency: 'USD' } })
  assert.deepEqual(told.records[0].provenance.price, { from: 'css', by: '.price' })
  const unknown = await opened.place.run(['jobs', 'show', 'list', '--task', '9'])
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /has no task "9".*--tasks` lists them/)
})
