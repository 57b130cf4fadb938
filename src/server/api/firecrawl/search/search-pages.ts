// Searches the records of the workspace and, if one is configured, the operator's web search engine.
import type { Caller } from '../../../../model/access.ts'
import { Failure } from '../../../../model/failures.ts'
import type { RecordData, StoredRecord } from '../../../../model/record.ts'
import type { SearchKind, WebQuery, WebResult } from '../../../../pipeline/report/web-search.ts'
import type { Server } from '../../../parts.ts'
import type { SearchCategory } from './search-schemas.ts'

export interface Search {
  query: string
  limit: number
  kinds: readonly SearchKind[]
  categories: readonly SearchCategory[]
  includeDomains: readonly string[]
  excludeDomains: readonly string[]
  timeRange?: WebQuery['timeRange']
  language?: string | undefined
}

export interface Hit {
  url: string
  title: string
  description: string
  category?: SearchCategory
  date?: string
  imageUrl?: string
  imageWidth?: number
  imageHeight?: number
}

interface Hits {
  web: Hit[]
  news: Hit[]
  images: Hit[]
  warnings: string[]
}

export const engineSetting = 'SCRAPER_SEARXNG_URL'

/** Results of the web engine come first. Then come pages of the workspace that the engine did not return. */
export async function searchAll(
  server: Server,
  caller: Caller,
  search: Search,
  signal: AbortSignal,
): Promise<Hits> {
  const { parts, settings } = server
  if (!parts.webSearch && !settings.search)
    throw new Failure(
      'feature.missing',
      `there is nothing to search: no search engine is set up (${engineSetting}), and the word index is off (SCRAPER_SEARCH)`,
    )
  const found: Hits = { web: [], news: [], images: [], warnings: [] }
  for (const kind of search.kinds) {
    const web = parts.webSearch ? await onWeb(parts.webSearch, search, kind, signal) : []
    const own = kind === 'web' && settings.search ? await inRecords(server, caller, search) : []
    const hits = new Map([...own, ...web].map(hit => [hit.url, hit]))
    const ordered = [...web, ...own].map(({ url }) => url)
    found[kind] = [...new Set(ordered)].map(url => hits.get(url)!).slice(0, search.limit)
  }
  if (!parts.webSearch) found.warnings.push(...withoutEngine(search.kinds))
  return found
}

function withoutEngine(kinds: readonly SearchKind[]): string[] {
  const others = kinds.filter(kind => kind !== 'web')
  return [
    `only pages of this workspace were searched; to search the web, the operator must set ${engineSetting}`,
    ...(others.length > 0 ? [`sources: ${others.join(' and ')} need a search engine`] : []),
  ]
}

async function onWeb(
  engine: NonNullable<Server['parts']['webSearch']>,
  search: Search,
  kind: SearchKind,
  signal: AbortSignal,
): Promise<Hit[]> {
  const hits: Hit[] = []
  // One search for each category. If no category is given, one search.
  for (const category of search.categories.length > 0 ? search.categories : [undefined]) {
    const results = await engine.search(webQuery(search, kind, category), signal)
    hits.push(...results.filter(({ url }) => isInDomains(url, search)).map(result => hitOf(result, category)))
  }
  return hits
}

function webQuery(search: Search, kind: SearchKind, category: SearchCategory | undefined): WebQuery {
  const { includeDomains, excludeDomains, timeRange, language, limit } = search
  const wanted = includeDomains.map(domain => `site:${domain}`)
  const words = [
    search.query,
    ...(wanted.length > 1 ? [`(${wanted.join(' OR ')})`] : wanted),
    ...excludeDomains.map(domain => `-site:${domain}`),
    ...(category === 'github' ? ['site:github.com'] : []),
    ...(category === 'pdf' ? ['filetype:pdf'] : []),
  ]
  const theirs = { research: 'science', developer: 'it' }[category as string]
  return {
    ...{ query: words.join(' '), kind, limit, timeRange, language },
    ...(theirs !== undefined && { category: theirs }),
  }
}

const hitOf = (result: WebResult, category: SearchCategory | undefined): Hit => ({
  ...{ url: result.url, title: result.title, description: result.description },
  ...(category && { category }),
  ...(result.date !== null && { date: result.date }),
  ...(result.imageUrl !== null && { imageUrl: result.imageUrl }),
  ...(result.imageWidth !== null && { imageWidth: result.imageWidth }),
  ...(result.imageHeight !== null && { imageHeight: result.imageHeight }),
})

/** A search engine may ignore `site:`, so the results are filtered here too. */
function isInDomains(
  url: string,
  { includeDomains, excludeDomains }: Pick<Search, 'includeDomains' | 'excludeDomains'>,
): boolean {
  const host = URL.parse(url)?.hostname ?? ''
  const isOf = (domain: string) => host === domain || host.endsWith(`.${domain}`)
  return (includeDomains.length === 0 || includeDomains.some(isOf)) && !excludeDomains.some(isOf)
}

const mostRecords = 200
const mostWords = 8
const rangesMs = { day: 86_400_000, week: 604_800_000, month: 2_678_400_000, year: 31_622_400_000 }

/** Pages of the workspace. Pages with all words of the query come first, then pages with some of the words. */
async function inRecords({ parts }: Server, { workspace }: Caller, search: Search): Promise<Hit[]> {
  const words = wordsIn(search.query)
  if (words.length === 0) return []
  const query = (text: string) => parts.store.search.query({ workspace, text, limit: mostRecords })
  const all = await query(words.join(' '))
  const isEnough = all.length >= search.limit || words.length === 1
  const some = isEnough ? [] : await Promise.all(words.slice(0, mostWords).map(query))
  const since = search.timeRange ? parts.clock.now() - rangesMs[search.timeRange] : 0
  return byMatches([all, ...some])
    .filter(record => record.fetchedAt >= since && isWanted(record, search))
    .map(record => recordHit(record, words))
}

const wordsIn = (query: string): string[] => [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]

/** Sorts records by the number of lists that contain them. Records with the same number keep their order. */
function byMatches(lists: readonly StoredRecord[][]): StoredRecord[] {
  const counts = new Map<string, { record: StoredRecord; count: number }>()
  for (const list of lists)
    for (const record of list) {
      const key = record.finalUrl
      const known = counts.get(key)
      if (known) known.count += 1
      else counts.set(key, { record, count: 1 })
    }
  return [...counts.values()].sort((first, second) => second.count - first.count).map(({ record }) => record)
}

function isWanted({ finalUrl, status }: StoredRecord, search: Search): boolean {
  if (status >= 400 || !isInDomains(finalUrl, search)) return false
  const { categories } = search
  if (categories.length === 0) return true
  const { hostname, pathname } = new URL(finalUrl)
  return (
    (categories.includes('github') && /(^|\.)github\.com$/.test(hostname)) ||
    (categories.includes('pdf') && /\.pdf$/i.test(pathname))
  )
}

const descriptionLength = 300

function recordHit(record: StoredRecord, words: readonly string[]): Hit {
  const data = JSON.parse(record.data) as RecordData
  const title = [data.title, data.name].find(value => typeof value === 'string') ?? record.finalUrl
  const text = [data.description, data.text, data.markdown].filter(value => typeof value === 'string')
  return { url: record.finalUrl, title: String(title), description: excerpt(text.join(' '), words) }
}

/** The part of the text around the first of the words. */
function excerpt(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map(word => lower.indexOf(word)).filter(place => place >= 0)
  const from = Math.max(0, Math.min(...places, text.length) - 60)
  const start = places.length === 0 ? 0 : from
  return text
    .slice(start, start + descriptionLength)
    .replace(/\s+/g, ' ')
    .trim()
}
