// Tests runs with a browser that end midway: no work is lost, and no browser is left over.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { type DemoSite, startDemoSite } from '../../src/demo-site/index.ts'
import { eventually } from '../support/eventually.ts'
import { Workplace } from './run-cli.ts'

const flagsFor = ({ host, port }: DemoSite) => ['--allow-private', `${host}:${port}`]

/** The folders of browsers contain the pid of the process that started them. */
const folderOf = (pid: number): string => `kscrape-browser-${pid}-`

async function browsersOf(pid: number): Promise<string[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const commands = await Promise.all(
    pids.map(each => readFile(`/proc/${each}/cmdline`, 'utf8').catch(() => '')),
  )
  return commands.filter(command => command.includes(folderOf(pid)))
}

const foldersOf = async (pid: number): Promise<string[]> =>
  (await readdir(tmpdir())).filter(name => name.startsWith(folderOf(pid)))

const livePages = ({ requests }: DemoSite): number =>
  requests.filter(({ url }) => url.includes('/almanac/data/')).length

const crawl = (site: DemoSite): string[] => [
  ...['crawl', `${site.url}/almanac/`, '--render', 'always', '--sitemap', 'skip', '--include', '/almanac/**'],
  ...['--rate', '20/s', '--job', 'almanac', '-o', 'out.jsonl', ...flagsFor(site)],
]

test('after a process is killed none of its browsers is left, and the resumed job has every page once', async () => {
  await using site = await startDemoSite({ products: 1, crawlDelaySeconds: 0 })
  await using place = await Workplace.open()
  const running = place.start(crawl(site), { env: { SCRAPER_LANES: '2' } })
  const pid = running.child.pid!
  await eventually('a page of the browser', () => livePages(site) > 0)
  assert.ok((await browsersOf(pid)).length > 0)

  running.child.kill('SIGKILL')
  await running.ended
  await eventually('the browser to end', async () => (await browsersOf(pid)).length === 0)

  const resumed = await place.run(['jobs', 'resume', 'almanac', '--rate', 'unlimited', ...flagsFor(site)])
  assert.equal(resumed.code, 0, resumed.stderr)
  const records = await place.records('out.jsonl')
  assert.equal(new Set(records.map(({ _page }) => _page.url)).size, 51)
  assert.equal(records.length, 51)
  assert.deepEqual(await foldersOf(pid), [], 'the next run deletes what the killed run left')
})

test('after a process is stopped its browsers end too', async () => {
  await using site = await startDemoSite({ products: 1, crawlDelaySeconds: 0 })
  await using place = await Workplace.open()
  const running = place.start(crawl(site), { env: { SCRAPER_GRACE: '2s' } })
  const pid = running.child.pid!
  await eventually('a page of the browser', () => livePages(site) > 0)

  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended

  assert.equal(code, 130, stderr)
  // A browser ends by itself when the kscrape process that started it has ended, but that takes a while.
  await eventually('the browser to end', async () => (await browsersOf(pid)).length === 0)
  assert.deepEqual(await foldersOf(pid), [])
  const { stdout } = await place.run(['jobs', 'show', 'almanac', '--json'])
  assert.deepEqual([JSON.parse(stdout).state, JSON.parse(stdout).reason], ['paused', 'interrupted'])
})
