// Tests that code and settings of a folder are loaded only if the user trusts the folder.
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite } from '../site/index.ts'
import { Workplace } from '../system/run-cli.ts'

/** An environment without SCRAPER_TRUST, so that no folder is trusted yet. */
const unknown = { env: { SCRAPER_TRUST: '' } }

const marking = "import { writeFileSync } from 'node:fs'\nwriteFileSync('was-run', 'x')\n"
const config = `${marking}export default {}\n`
const scraper = `${marking}export default { id: 'own', version: '1', run: async () => {} }\n`

async function hasRun(place: Workplace): Promise<boolean> {
  return readFile(place.file('was-run')).then(
    () => true,
    () => false,
  )
}

test('without a terminal an untrusted folder is refused, and the error says how to trust it', async () => {
  await using place = await Workplace.open()
  await writeFile(place.file('kscrape.config.ts'), config)
  for (const args of [
    ['jobs', 'list'],
    ['keys', 'list'],
    ['doctor'],
    ['serve', '--port', '0'],
    ['scrape', 'https://a.example/'],
  ]) {
    const { code, stderr } = await place.run(args, unknown)
    assert.equal(code, 2, stderr)
    assert.match(stderr, /is not trusted, .* kscrape\.config\.ts .*--trust .*SCRAPER_TRUST=on/)
  }
  assert.equal(await hasRun(place), false)
})

test('kscrape remembers --trust for that folder only, and says so once', async () => {
  await using place = await Workplace.open()
  await writeFile(place.file('kscrape.config.ts'), config)
  const first = await place.run(['scrapers', 'list', '--trust'], unknown)
  assert.equal(first.code, 0, first.stderr)
  assert.match(first.stderr, /trusts .* from now on and loads kscrape\.config\.ts/)
  assert.equal(await hasRun(place), true)
  const second = await place.run(['scrapers', 'list'], unknown)
  assert.deepEqual([second.code, second.stderr], [0, ''])
  const known = JSON.parse(await readFile(place.file('.config/kscrape/trusted.json'), 'utf8')) as string[]
  assert.equal(known.length, 1)
})

test('a command that loads nothing from the folder needs no trust', async () => {
  await using place = await Workplace.open()
  await mkdir(place.file('scrapers'))
  await writeFile(place.file('scrapers/own.ts'), scraper)
  await writeFile(place.file('kscrape.config.ts'), config)
  for (const args of [
    ['archive', 'check', 'missing.wacz'],
    ['archive', 'show', 'missing.wacz'],
    ['docs'],
    ['version'],
  ]) {
    const { stderr } = await place.run(args, unknown)
    assert.doesNotMatch(stderr, /is not trusted/, args.join(' '))
  }
  assert.equal(await hasRun(place), false)
})

test('a command with a built-in scraper loads no scraper of the folder, and needs no trust', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await mkdir(place.file('scrapers'))
  await writeFile(place.file('scrapers/own.ts'), scraper)
  const flags = ['--allow-private', `${site.host}:${site.port}`, '--rate', 'unlimited', '--quiet']
  const scraped = await place.run(['scrape', `${site.url}/about`, ...flags], unknown)
  assert.equal(scraped.code, 0, scraped.stderr)
  assert.equal(await hasRun(place), false)
  const listed = await place.run(['scrapers', 'list'], unknown)
  assert.equal(listed.code, 2)
  assert.match(listed.stderr, /scrapers\/own\.ts/)
  assert.equal(await hasRun(place), false)
})

test('a folder with a .env needs trust only if the file has settings of kscrape, and the file cannot trust its own folder', async () => {
  await using place = await Workplace.open()
  await writeFile(place.file('.env'), 'DJANGO_DEBUG=1\n')
  assert.equal((await place.run(['scrapers', 'list'], unknown)).code, 0)
  await writeFile(place.file('.env'), 'SCRAPER_TRUST=on\nSCRAPER_PROXIES=http://evil.example:1\n')
  const { code, stderr } = await place.run(['scrapers', 'list'], unknown)
  assert.equal(code, 2)
  assert.match(stderr, /would load \.env/)
})

test('a folder that `scrapers new` creates is trusted, and a folder that had other code before is not', async () => {
  await using place = await Workplace.open()
  assert.equal((await place.run(['scrapers', 'new', 'mine'], unknown)).code, 0)
  assert.equal((await place.run(['scrapers', 'list'], unknown)).code, 0)
  await using other = await Workplace.open()
  await writeFile(other.file('kscrape.config.ts'), config)
  assert.equal((await other.run(['scrapers', 'new', 'mine'], unknown)).code, 0)
  assert.equal((await other.run(['scrapers', 'list'], unknown)).code, 2)
  assert.equal(await hasRun(other), false)
})

test('images, the systemd unit and make targets set SCRAPER_TRUST', async () => {
  const root = new URL('../../', import.meta.url)
  for (const [file, line] of [
    ['Dockerfile', /^ENV .*SCRAPER_TRUST=on/m],
    ['deploy/systemd/kscrape.service', /^Environment=.*SCRAPER_TRUST=on/m],
    ['Makefile', /^export SCRAPER_TRUST := on$/m],
  ] as const)
    assert.match(await readFile(new URL(file, root), 'utf8'), line)
})
