// Checks this machine: tests every dependency, and returns a remedy for each problem.
import { existsSync } from 'node:fs'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { openSqliteStore } from '../../adapters/sqlite/open.ts'
import type { Loaded } from '../../config/load.ts'
import { startDemoSite } from '../../demo-site/index.ts'
import { EgressGate, openHttpFetch } from '../../fetch/http/index.ts'
import { systemClock } from '../../lib/clocks.ts'
import { asFailure } from '../../model/failures.ts'
import { timeouts } from '../../model/policy/policy.ts'
import { findScraperFiles, loadScrapers } from '../scrapers/scraper-files.ts'
import type { Finding } from './finding.ts'

type Check = (loaded: Loaded) => Promise<Finding>

export async function checkMachine(loaded: Loaded): Promise<Finding[]> {
  const findings = await Promise.all(
    checks.map(check => check(loaded).catch(error => broken(check.name, asFailure(error).message))),
  )
  // The browser check is last, because a starting browser would slow down the other checks.
  const { checkBrowser } = await import('./check-browser.ts')
  return [...findings, ...(await checkBrowser(loaded.settings))]
}

const broken = (name: string, note: string, fix?: string): Finding => ({
  name,
  verdict: 'broken',
  note,
  ...(fix && { fix }),
})
const ok = (name: string, note: string): Finding => ({ name, verdict: 'ok', note })

const node: Check = async () => {
  const { node: version } = process.versions
  if (Number(version.split('.')[0]) < 24)
    return broken('node', `${version} is too old`, 'install Node 24 or newer')
  return ok('node', `${version}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB`)
}

const settings: Check = async ({ configFile, settings: given }) =>
  ok(
    'settings',
    `${configFile ?? 'no config file, defaults and environment'}; data directory ${resolve(given.dataDir)}`,
  )

const store: Check = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-doctor-'))
  try {
    await using opened = await openSqliteStore({ path: join(folder, 'store.sqlite'), clock: systemClock })
    await opened.jobs.list()
    return ok('store', 'a SQLite file can be created, written and read')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const space: Check = async ({ settings: { dataDir, minFreeBytes } }) => {
  const existing = [resolve(dataDir), resolve('.')].find(path => existsSync(path))!
  const { bavail, bsize } = await statfs(existing)
  const free = bavail * bsize
  const note = `${(free / 1e9).toFixed(1)} GB free for ${dataDir}`
  if (free >= minFreeBytes) return ok('disk', note)
  return broken(
    'disk',
    `${note}; jobs pause below ${(minFreeBytes / 1e9).toFixed(1)} GB`,
    'free some space, choose another --data-dir, or lower SCRAPER_MIN_FREE_BYTES',
  )
}

const fetching: Check = async () => {
  await using site = await startDemoSite({ products: 1 })
  await using http = openHttpFetch({
    gate: new EgressGate({ allowPrivate: [`${site.host}:${site.port}`] }),
    userAgent: 'kscrape-doctor',
  })
  const page = await http.fetch(
    { url: `${site.url}/`, timeouts: timeouts.parse({}), maxBytes: 1_000_000 },
    AbortSignal.timeout(10_000),
  )
  return ok('fetch', `fetched a page of the demo site (HTTP status ${page.status})`)
}

const gate: Check = async () => {
  try {
    new EgressGate({ allowPrivate: [] }).judgeUrl('http://169.254.169.254/')
    return broken('egress gate', 'the gate allowed a metadata address')
  } catch {
    return ok('egress gate', 'private and metadata addresses are refused')
  }
}

const certificates: Check = async ({ settings: { caFile } }) => {
  if (!caFile) return ok('certificates', 'the certificate authorities that come with Node')
  return existsSync(caFile)
    ? ok('certificates', `${caFile} and the certificate authorities of Node`)
    : broken('certificates', `${caFile} does not exist`, 'correct SCRAPER_CA_FILE')
}

const scrapers: Check = async ({ root }) => {
  const registry = await loadScrapers(findScraperFiles(root))
  if (registry.broken.length > 0)
    return broken(
      'scrapers',
      registry.broken.map(({ failure }) => failure.message).join('; '),
      'correct the files; jobs that use other scrapers run',
    )
  return ok(
    'scrapers',
    registry
      .list()
      .map(scraper => `${scraper.id}@${scraper.version}`)
      .join(', '),
  )
}

const contact: Check = async ({ settings: given }) =>
  given.contact || given.userAgent || given.publicUrl
    ? ok('user agent', 'identifies you')
    : {
        name: 'user agent',
        verdict: 'missing',
        note: 'it contains no contact; site owners can’t reach you',
        fix: 'set SCRAPER_CONTACT or --contact to a URL or e-mail address',
      }

const checks: Check[] = [node, settings, store, space, fetching, gate, certificates, scrapers, contact]
