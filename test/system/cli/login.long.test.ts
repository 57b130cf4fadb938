// Tests crawling with a login: a person logs in in a visible browser, cookies log in, and a login expires.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSessions } from '../../../src/roles/sessions.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { Workplace } from '../run-cli.ts'

const quick = (site: TestSite) => ['--rate', 'unlimited', '--allow-private', `${site.host}:${site.port}`]
const members = (site: TestSite) => `${site.url}/members/area`
const sessionFile = (place: Workplace) => place.file('.kscrape/sessions/club.json')

const cookie = (site: TestSite, value: string) => ({
  name: 'session',
  value,
  domain: site.host,
  path: '/',
  expires: -1,
  httpOnly: true,
  secure: false,
  sameSite: 'Lax',
})

test('a page behind a login is reported as a login wall, with evidence, a remedy and exit code 5', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const { code, stderr } = await place.run(['scrape', members(site), ...quick(site), '--quiet'])
  assert.equal(code, 5)
  assert.match(
    stderr,
    /requires a login: redirected to .*\/login, a return URL in the parameter "next".*blocked\.login.*kscrape login NAME/,
  )
  const [job] = (await place.run(['jobs', 'list', '--json'])).stdout
    .split('\n')
    .map(line => line && JSON.parse(line))
  const shown = await place.run(['jobs', 'show', job.job_id])
  assert.match(shown.stdout, /blocked\.login: .*requires a login[\s\S]*what to do: log in once/)
  const why = await place.run(['explain', job.job_id, members(site)])
  assert.match(why.stdout, /blocked\.login[\s\S]*what to do: log in once with kscrape login/)
})

test('a saved session opens pages behind the login, and an expired session ends at a login wall', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const scrape = () =>
    place.run(['scrape', members(site), ...quick(site), '--session', 'club', '--quiet', '--format', 'text'])
  await place.run(['scrape', `${site.url}/about`, ...quick(site), '--quiet'])
  await writeSession(place, { cookies: [cookie(site, 'demo')], origins: [] })
  const inside = await scrape()
  assert.equal(inside.code, 0, inside.stderr)
  assert.match(inside.stdout, /Members only: area/)

  await writeSession(place, { cookies: [cookie(site, 'of last week')], origins: [] })
  const outside = await scrape()
  assert.equal(outside.code, 5)
  assert.match(outside.stderr, /blocked\.login/)
})

async function writeSession(place: Workplace, state: object): Promise<void> {
  const { mkdir } = await import('node:fs/promises')
  await mkdir(place.file('.kscrape/sessions'), { recursive: true })
  await writeFile(sessionFile(place), JSON.stringify(state))
}

test('cookies that a run without a browser receives are saved in the session for the next run', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const given = ['--session', 'club', ...quick(site), '--quiet', '--format', 'text']
  await place.run(['scrape', `${site.url}/cookies/set?flavour=oat`, ...given])
  const again = await place.run(['scrape', `${site.url}/cookies`, ...given])
  assert.match(again.stdout, /flavour.*oat/)
  assert.equal((await stat(sessionFile(place))).mode & 0o777, 0o600)
})

test('sessions are listed and shown without their values, and deleted', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await writeSession(place, { cookies: [cookie(site, 's3cret')], origins: [] })
  for (const args of [['list'], ['list', '--json'], ['show', 'club'], ['show', 'club', '--json']]) {
    const { code, stdout } = await place.run(['sessions', ...args])
    assert.equal(code, 0)
    assert.match(stdout, /club[\s\S]*127\.0\.0\.1/)
    assert.doesNotMatch(stdout, /s3cret/)
  }
  assert.equal((await place.run(['sessions', 'rm', 'club'])).code, 0)
  const gone = await place.run(['sessions', 'show', 'club'])
  assert.equal(gone.code, 2)
  assert.match(gone.stderr, /there is no session "club"; `kscrape sessions list`/)
})

test('without a display, the login command fails, and the error names the alternatives', async () => {
  await using place = await Workplace.open()
  const { code, stderr } = await place.run(['login', 'club', 'http://127.0.0.1:1/'])
  assert.equal(code, 2)
  assert.match(stderr, /no display.*xvfb-run.*--cookies FILE/)
})

const canShow = existsSync('/usr/bin/Xvfb') && existsSync('/usr/bin/chromium')

/** A virtual display. Xvfb chooses a free number and prints it. */
async function startScreen(): Promise<{ display: string } & AsyncDisposable> {
  const child = spawn(
    '/usr/bin/Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x720x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  )
  const number = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.stdio[3]!.once('data', text => resolve(String(text).trim()))
  })
  return { display: `:${number}`, [Symbol.asyncDispose]: () => ended(child) }
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = new Promise<void>(resolve => child.once('exit', () => resolve()))
  child.kill()
  await exit
}

const program = join(import.meta.dirname, '../../../src/cli/kscrape.ts')

test('a login made in a visible browser is used by later runs', {
  skip: !canShow && 'needs Xvfb and Chromium',
}, async () => {
  await using site = await startTestSite()
  await using screen = await startScreen()
  await using place = await Workplace.open()
  // This page logs in by itself, because no person is present. Its last request shows that it has finished.
  site.serve(
    '/visitor',
    `<script>fetch('/login', { method: 'POST', body: new URLSearchParams({ user: 'demo', password: 'demo' }) })
      .then(() => localStorage.setItem('seen', 'yes')).then(() => fetch('/visitor/done'))</script>`,
  )
  const login = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      program,
      'login',
      'club',
      `${site.url}/visitor`,
      '--allow-private',
      `${site.host}:${site.port}`,
    ],
    {
      cwd: place.path,
      env: { PATH: process.env.PATH, HOME: place.path, SCRAPER_TRUST: 'on', DISPLAY: screen.display },
      stdio: 'pipe',
    },
  )
  let said = ''
  login.stderr.setEncoding('utf8').on('data', text => (said += text))
  const exit = new Promise<number | null>(resolve => login.once('close', resolve))
  await Promise.race([visited(site, '/visitor/done'), exit])
  login.stdin.write('\n')
  assert.equal(await exit, 0, said)
  assert.match(said, /stored 1 cookie of 127\.0\.0\.1 and the storage of 1 site as "club"/)
  assert.match(JSON.stringify(await openSessions(place.file('.kscrape')).load('club')), /"seen"/)
  assert.doesNotMatch(await readFile(sessionFile(place), 'utf8'), /seen/)

  const inside = await place.run([
    'scrape',
    members(site),
    ...quick(site),
    '--session',
    'club',
    '--quiet',
    '--format',
    'text',
  ])
  assert.match(inside.stdout, /Members only: area/, inside.stderr)
})

/** Waits until the site has received a request for the path. */
async function visited(site: TestSite, path: string): Promise<void> {
  while (site.requestsTo(path).length === 0) await new Promise(resolve => setImmediate(resolve))
}
