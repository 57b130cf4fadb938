// Finds the pages that a job would request, as far as they are known: rows of a list, or the URLs of sitemaps and links.
import { parseRobots, productTokenOf, type RobotsRules } from '../../dispatch/robots/index.ts'
import { canonicalUrl, givenUrl, hostOf } from '../../frontier/canonical-url.ts'
import { compileScope } from '../../frontier/scope.ts'
import { inTurns } from '../../lib/polite-work.ts'
import type { RobotsEntry } from '../../model/host.ts'
import { type GivenSpec, sitemapUse } from '../../model/job.ts'
import { originOf } from '../coordinate/hosts/robots-gate.ts'
import type { LookAt, LookedPage } from './sample-pages.ts'

export interface PlanTargets {
  /** Known pages by host, with an estimate for sitemaps that were not read. */
  byHost: Map<string, number>
  /** The number of pages. Null if unknown, because links lead to more pages. */
  count: number | null
  /** How the count was obtained, as a sentence. */
  basis: string
  /** A sample of the pages, evenly spread. */
  sample: string[]
  /** Pages that robots.txt disallows. */
  disallowed: number
  asked: LookedPage[]
}

export interface TargetParts {
  lookAt: LookAt
  robotsOf: (origin: string) => Promise<RobotsEntry | null>
  userAgent: string
}

const mostSeeds = 5
const mostSitemaps = 5

/** Every n-th entry, so that the sample is spread over the whole list. */
function evenly<Entry>(entries: readonly Entry[], count: number): Entry[] {
  if (entries.length <= count) return [...entries]
  return Array.from({ length: count }, (_, index) => entries[Math.floor((index * entries.length) / count)]!)
}

/** The targets of a list. Its pages are exactly the listed ones. */
export function listTargets(
  hosts: Map<string, number>,
  sample: string[],
  { rows, skipped }: { rows: number; skipped: number },
): PlanTargets {
  const count = [...hosts.values()].reduce((sum, pages) => sum + pages, 0)
  const left = skipped > 0 ? `, ${skipped} of ${rows} rows are invalid` : ''
  return { byHost: hosts, count, basis: `they are listed${left}`, sample, disallowed: 0, asked: [] }
}

export async function crawlTargets(
  parts: TargetParts,
  given: GivenSpec,
  sampleSize: number,
): Promise<PlanTargets> {
  const canonical = { query: given.query }
  const seeds = (given.seedUrls ?? []).map(url => givenUrl(url) ?? url)
  const looked = seeds.length > 0 ? await parts.lookAt(seeds.slice(0, mostSeeds), 'page') : []
  const scope = compileScope(given)
  const sitemaps = await readSitemaps(parts, given, seeds)
  const known = new Set(seeds)
  const add = (raw: string, base?: string) => {
    const url = canonicalUrl(raw, canonical, base)
    if (url && scope.allows(url, 0).ok) known.add(url)
  }
  await inTurns(sitemaps.urls, url => add(url))
  const fromSitemaps = known.size
  if (given.sitemap !== 'only' && given.depth !== 0)
    for (const { seen } of looked) await inTurns(seen?.hrefs ?? [], href => add(href, seen?.base))
  const allowed = await withoutDisallowed(parts, given, [...known])
  const factor = sitemaps.read > 0 ? (sitemaps.read + sitemaps.unread) / sitemaps.read : 1
  return {
    ...countOf(given, { seeds: seeds.length, fromSitemaps, allowed: allowed.length, factor, sitemaps }),
    byHost: countByHost(allowed, factor),
    sample: evenly(
      allowed.filter(url => !looked.some(page => page.url === url)),
      Math.max(0, sampleSize - looked.length),
    ),
    disallowed: known.size - allowed.length,
    asked: [...looked, ...sitemaps.asked],
  }
}

interface Sitemaps {
  urls: string[]
  read: number
  unread: number
  asked: LookedPage[]
}

async function readSitemaps(parts: TargetParts, given: GivenSpec, seeds: string[]): Promise<Sitemaps> {
  const found: Sitemaps = { urls: [], read: 0, unread: 0, asked: [] }
  if (sitemapUse(given) === 'skip') return found
  const named = given.sitemapUrl ? [given.sitemapUrl] : await sitemapsOf(parts, seeds)
  let next = named
  for (let level = 0; level < 2 && next.length > 0; level++) {
    const now = evenly(next, mostSitemaps - Math.min(found.read, mostSitemaps - 1))
    const pages = await parts.lookAt(now, 'sitemap')
    found.asked.push(...pages)
    const inside = pages.flatMap(({ seen }) => seen ?? [])
    const files = inside.filter(({ hrefs }) => hrefs.length > 0)
    found.read += files.length
    if (files.length > 0) found.unread += next.length - now.length
    for (const { hrefs } of files) for (const href of hrefs) found.urls.push(href)
    next = inside.flatMap(({ sitemaps }) => sitemaps)
  }
  return found
}

async function sitemapsOf(parts: TargetParts, seeds: readonly string[]): Promise<string[]> {
  const origins = [...new Set(seeds.map(originOf))].slice(0, mostSeeds)
  const named = await Promise.all(
    origins.map(async origin => {
      const { sitemaps = [] } = (await rulesOf(parts, origin)) ?? {}
      return sitemaps.length > 0 ? sitemaps : [`${origin}/sitemap.xml`]
    }),
  )
  return named.flat()
}

export async function rulesOf(
  { robotsOf, userAgent }: TargetParts,
  origin: string,
): Promise<RobotsRules | null> {
  const entry = await robotsOf(origin)
  return entry?.verdict === 'parsed' ? parseRobots(entry.body, productTokenOf(userAgent)) : null
}

async function withoutDisallowed(parts: TargetParts, given: GivenSpec, urls: string[]): Promise<string[]> {
  if (given.policy.robots === 'ignore') return urls
  const origins = new Map<string, RobotsRules | null>()
  for (const origin of new Set(urls.map(originOf))) origins.set(origin, await rulesOf(parts, origin))
  const allowed: string[] = []
  await inTurns(urls, url => {
    if (origins.get(originOf(url))?.isAllowed(url).allowed ?? true) allowed.push(url)
  })
  return allowed
}

function countOf(
  { depth, sitemap }: GivenSpec,
  found: { seeds: number; fromSitemaps: number; allowed: number; factor: number; sitemaps: Sitemaps },
): Pick<PlanTargets, 'count' | 'basis'> {
  const { sitemaps, allowed, factor } = found
  const files = `${sitemaps.read} sitemap${sitemaps.read === 1 ? '' : 's'}`
  if (depth === 0 && sitemaps.read === 0) return { count: allowed, basis: 'it follows no links' }
  if (sitemaps.read === 0)
    return {
      count: null,
      basis: `no sitemap; ${allowed} pages are known at the start, and their links lead to more`,
    }
  const guess =
    sitemaps.unread > 0 ? `, and about as many in each of ${sitemaps.unread} that were not read` : ''
  const more = sitemap === 'only' || depth === 0 ? '' : '; links may lead to more'
  return { count: Math.round(allowed * factor), basis: `${files} name them${guess}${more}` }
}

function countByHost(urls: readonly string[], factor: number): Map<string, number> {
  const hosts = new Map<string, number>()
  for (const url of urls) hosts.set(hostOf(url), (hosts.get(hostOf(url)) ?? 0) + factor)
  return hosts
}
