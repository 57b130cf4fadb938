// Tests kscrape replay: it runs a recording as a job in a real browser.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { type DemoSite, startTestSite } from '../../site/index.ts'
import { Workplace } from '../run-cli.ts'

let site: DemoSite
before(async () => {
  site = await startTestSite()
})
after(() => site.close())

const quick = () => ['--rate', 'unlimited', '--allow-private', `${site.host}:${site.port}`]

async function place(recording: string, change = (text: string) => text): Promise<Workplace> {
  const workplace = await Workplace.open()
  const text = await readFile(new URL(`../../recordings/${recording}.json`, import.meta.url), 'utf8')
  await writeFile(workplace.file('recording.json'), change(text.replaceAll('http://demo.example', site.url)))
  return workplace
}

test('for each row, the recording runs once with the values of the row', async () => {
  await using here = await place('form')
  await writeFile(here.file('rows.csv'), 'name,country,item_id\nAda,pt,first\nBob,,second\n')
  const args = ['replay', 'recording.json', '--rows', 'rows.csv', '-o', 'out.jsonl', ...quick()]
  const { code, stderr } = await here.run(args)
  assert.equal(code, 0, stderr)
  const records = await here.records('out.jsonl')
  const found = records.map(({ name, email, country, _page }) => [name, email, country, _page.item_id])
  assert.deepEqual(found.sort(), [
    ['Ada', 'grace@example.com', 'pt', 'first'],
    ['Bob', 'grace@example.com', null, 'second'],
  ])
})

test('a column that no parameter has is refused before the recording runs, and the error suggests the nearest parameter', async () => {
  await using here = await place('form')
  await writeFile(here.file('rows.csv'), 'nmae\nAda\n')
  const { code, stderr } = await here.run(['replay', 'recording.json', '--rows', 'rows.csv', ...quick()])
  assert.equal(code, 2)
  assert.match(stderr, /no parameter "nmae" \(did you mean "name"\?\); it takes name, e_mail, country/)
})

test('--params names the parameters and runs nothing', async () => {
  await using here = await place('form')
  const { stdout } = await here.run(['replay', 'recording.json', '--params', '--json'])
  const names = (JSON.parse(stdout) as Array<{ name: string }>).map(({ name }) => name)
  assert.deepEqual(names, ['name', 'e_mail', 'country'])
})

test('a recording can log in with a secret from the environment, which is not in the stored data', async () => {
  await using here = await place('login')
  const env = { SCRAPER_SECRET_PLAY_PASSWORD: 'difference-engine' }
  const args = ['replay', 'recording.json', '-o', 'out.jsonl', ...quick()]
  const { code, stderr } = await here.run(args, { env })
  assert.equal(code, 0, stderr)
  assert.equal((await here.records('out.jsonl'))[0]?.who, 'Ada Lovelace')
  for (const name of await readdir(here.path, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue
    const bytes = await readFile(`${name.parentPath}/${name.name}`)
    assert.ok(!bytes.includes('difference-engine'), name.name)
  }
})

test('the error of a failed step has its number, and the page is stored as it was at that step', async () => {
  await using here = await place('form', text =>
    text.replaceAll('#later', '#never').replaceAll('aria/Later', 'aria/Never'),
  )
  const changed = JSON.parse(await readFile(here.file('recording.json'), 'utf8')) as object
  await writeFile(here.file('recording.json'), JSON.stringify({ ...changed, timeout: 5_000 }))
  const { code, stderr } = await here.run(['replay', 'recording.json', '--job', 'broken', ...quick()])
  assert.equal(code, 3, stderr)
  const shown = await here.run(['jobs', 'show', 'broken', '--tasks', 'failed'])
  assert.match(shown.stdout, /step 10 \(actions\[9\], click\) failed at .*nothing visible for/)
  const written = await here.run(['jobs', 'artifacts', 'broken', '-o', 'kept'])
  assert.equal(written.code, 0, written.stderr)
  const files = (await readdir(here.file('kept'), { recursive: true })).join(' ')
  assert.match(files, /screenshot/)
  assert.match(files, /html/)
})
