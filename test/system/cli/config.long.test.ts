// Tests which setting wins: flags over the environment, the environment over `.env`, both over the config file, and all over
// defaults. Unknown names are errors.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite } from '../../site/index.ts'
import { Workplace } from '../run-cli.ts'

test('flags win over the environment, the environment wins over .env, and both win over the config file', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const open = `${site.host}:${site.port}`
  await writeFile(
    place.file('kscrape.config.yaml'),
    `user_agent: from-the-file/1\ncontact: file@x.example\nallow_private: ["${open}"]\ndata_dir: from-file\n`,
  )
  const agent = async (flags: string[] = [], env: Record<string, string> = {}) => {
    const { code, stderr } = await place.run(
      ['scrape', `${site.url}/about`, '--rate', 'unlimited', ...flags],
      { env },
    )
    assert.equal(code, 0, stderr)
    return site.requestsTo('/about').at(-1)!.headers['user-agent']
  }
  assert.equal(await agent(), 'from-the-file/1 (+file@x.example)')
  assert.ok(existsSync(place.file('from-file/store.sqlite')), 'the data directory of the file')
  assert.equal(await agent([], { SCRAPER_USER_AGENT: 'from-env/1' }), 'from-env/1 (+file@x.example)')
  assert.equal(
    await agent(['--user-agent', 'from-flag/1'], { SCRAPER_USER_AGENT: 'from-env/1' }),
    'from-flag/1 (+file@x.example)',
  )
  await writeFile(place.file('.env'), 'SCRAPER_USER_AGENT=from-dotenv/1\nSCRAPER_CONTACT=dotenv@x.example\n')
  assert.equal(await agent(), 'from-dotenv/1 (+dotenv@x.example)')
  assert.equal(await agent([], { SCRAPER_USER_AGENT: 'from-env/1' }), 'from-env/1 (+dotenv@x.example)')
})

test('a TypeScript config file is loaded, even if kscrape is not installed beside it, and its rate applies', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const settings = {
    allowPrivate: [`${site.host}:${site.port}`],
    rate: 'unlimited',
    userAgent: 'from-typescript/1',
  }
  await writeFile(
    place.file('kscrape.config.ts'),
    `import { defineConfig } from 'kscrape'\nexport default defineConfig(${JSON.stringify(settings)})\n`,
  )
  const { code, stderr } = await place.run(['scrape', `${site.url}/about`])
  assert.equal(code, 0, stderr)
  assert.equal(site.requestsTo('/about')[0]!.headers['user-agent'], 'from-typescript/1')
})

test('the error for a config file that cannot be loaded names the file and the cause', async () => {
  await using place = await Workplace.open()
  await writeFile(
    place.file('kscrape.config.ts'),
    "import nothing from './not-there.ts'\nexport default nothing\n",
  )
  const { code, stderr } = await place.run(['jobs', 'list'])
  assert.equal(code, 2)
  assert.match(stderr, /kscrape\.config\.ts can't be loaded: .*not-there/)
})

test('an unknown or wrong setting, from any source, is an error that names it and suggests the right one', async () => {
  await using place = await Workplace.open()
  const say = async (env: Record<string, string> = {}) => {
    const { code, stderr } = await place.run(['doctor'], { env })
    assert.equal(code, 2, stderr)
    return stderr
  }
  assert.match(
    await say({ SCRAPER_CONTCT: 'x' }),
    /SCRAPER_CONTCT is not a setting \(did you mean "SCRAPER_CONTACT"\?\)/,
  )
  assert.match(await say({ SCRAPER_GRACE: 'soon' }), /"soon" is not a duration/)
  assert.match(await say({ SCRAPER_LANES: '-1' }), /lanes \(SCRAPER_LANES\)/)
  await writeFile(place.file('kscrape.config.yaml'), 'data_dr: here\n')
  assert.match(await say(), /kscrape\.config\.yaml.*(data_dr|dataDr): unknown; did you mean "dataDir"/)
  await writeFile(place.file('kscrape.config.yaml'), '- just\n- a list\n')
  assert.match(await say(), /kscrape\.config\.yaml contains no settings; write one per line/)
})

test('doctor checks every dependency, and says how to install or repair what is missing', async () => {
  await using place = await Workplace.open()
  const { code, stdout } = await place.run(['doctor'])
  assert.equal(code, 0)
  for (const part of ['node', 'store', 'disk', 'fetch', 'egress gate', 'scrapers'])
    assert.match(stdout, new RegExp(`^ok +${part}: `, 'm'))
  assert.match(stdout, /^missing user agent: .*\n +fix: set SCRAPER_CONTACT/m)
  const broken = await place.run(['doctor', '--json'], {
    env: { SCRAPER_CA_FILE: '/no/such.pem', SCRAPER_MIN_FREE_BYTES: '1000000000000000' },
  })
  assert.equal(broken.code, 1)
  const findings = broken.stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual(
    findings.filter(({ verdict }) => verdict === 'broken').map(({ name }) => name),
    ['disk', 'certificates'],
  )
  assert.ok(findings.every(({ verdict, fix }) => verdict === 'ok' || fix))
})

test('doctor names the installed browser, and says what to do if it does not start', async () => {
  await using place = await Workplace.open()
  const findingsWith = async (path: string) => {
    const { code, stdout } = await place.run(['doctor', '--json'], { env: { SCRAPER_BROWSER_PATH: path } })
    const findings = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    return { code, browser: findings.find(({ name }) => name === 'browser') }
  }
  const gone = await findingsWith('/no/such/browser')
  assert.equal(gone.code, 1)
  assert.match(gone.browser.note, /SCRAPER_BROWSER_PATH \/no\/such\/browser is not a program/)
  const lame = await findingsWith('/bin/false')
  assert.equal(lame.code, 1)
  assert.match(
    lame.browser.note,
    /^\/bin\/false \(named in SCRAPER_BROWSER_PATH, full browser\) loaded no page: /,
  )
  assert.match(lame.browser.fix, /doctor --fix/)
})
