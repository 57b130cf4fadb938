// Parses robots.txt by RFC 9309: finds the groups for our user agent, and decides whether a path is allowed.
import { type RobotsLine, readLines } from './lines.ts'
import { pathOf } from './path-pattern.ts'
import { RuleSet } from './rule-set.ts'

interface RobotsAnswer {
  allowed: boolean
  /** The deciding line, like `Disallow: /private (line 3)`; null if no rule matches. */
  rule: string | null
}

export interface RobotsRules {
  /** Whether a URL, or a path with query, is allowed. */
  isAllowed(urlOrPath: string): RobotsAnswer
  /** The crawl delay as in the file; our own limit is not applied. */
  crawlDelayMs: number | null
  /** Sitemap URLs as in the file. The caller resolves relative URLs. */
  sitemaps: string[]
}

/** The rules of all groups that name one agent. */
interface Section {
  wasNamed: boolean
  rules: RuleSet
  crawlDelayMs: number | null
}

/** The current group: the sections that its user-agent lines name. A rule or a Crawl-delay closes the list of names; the next
 *  user-agent line then starts a new group. RFC 9309 does not know Crawl-delay, but a group that has only a Crawl-delay must not
 *  merge with the next group. */
interface Group {
  sections: Set<Section>
  closed: boolean
}

const newSection = (): Section => ({ wasNamed: false, rules: new RuleSet(), crawlDelayMs: null })
const newGroup = (): Group => ({ sections: new Set(), closed: false })

export function parseRobots(body: string | Buffer, productToken: string): RobotsRules {
  const lines = readLines(body)
  const { own, everyone } = readSections(lines, productToken.toLowerCase())
  const section = own.wasNamed ? own : everyone
  const sitemaps = lines
    .filter(line => line.key === 'sitemap' && line.value !== '')
    .map(line => textOf(line.value))
  return {
    isAllowed: urlOrPath => decide(section.rules, urlOrPath),
    crawlDelayMs: section.crawlDelayMs,
    sitemaps,
  }
}

function readSections(lines: RobotsLine[], productToken: string): { own: Section; everyone: Section } {
  const own = newSection()
  const everyone = newSection()
  const group = newGroup()
  for (const line of lines) {
    if (line.key === 'user-agent') addName(group, sectionNamed(line.value, productToken, own, everyone))
    else if (line.key === 'crawl-delay') addDelay(group, line.value)
    else if (line.key !== 'sitemap') addRule(group, line)
  }
  return { own, everyone }
}

function sectionNamed(value: string, productToken: string, own: Section, everyone: Section): Section | null {
  if (/^\*(?:\s|$)/.test(value)) return everyone
  // Only the first word counts: "Foo/2.1" and "Foo Bar" mean "Foo".
  const name = /^[a-z_-]*/i.exec(value)![0].toLowerCase()
  return name !== '' && name === productToken ? own : null
}

function addName(group: Group, section: Section | null): void {
  if (group.closed) group.sections.clear()
  group.closed = false
  if (section === null) return
  section.wasNamed = true
  group.sections.add(section)
}

function addDelay(group: Group, value: string): void {
  group.closed = true
  if (!/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value)) return
  const delayMs = Math.min(Math.round(Number(value) * 1_000), Number.MAX_SAFE_INTEGER)
  // If the file has two delays, the longer one is safer.
  for (const section of group.sections) section.crawlDelayMs = Math.max(section.crawlDelayMs ?? 0, delayMs)
}

function addRule(group: Group, line: RobotsLine): void {
  group.closed = true
  // An empty Disallow forbids nothing; an empty Allow adds nothing.
  if (line.value === '' || group.sections.size === 0) return
  for (const section of group.sections) addTo(section.rules, line)
}

function addTo(rules: RuleSet, { key, value, number }: RobotsLine): void {
  const kind = key === 'allow' ? 'allow' : 'disallow'
  const line = `${kind === 'allow' ? 'Allow' : 'Disallow'}: ${textOf(value)} (line ${number})`
  rules.add(kind, value, line)
  // `Allow: /x/index.html` also allows `/x/`, which is the same page.
  const folder = kind === 'allow' ? /^(.*\/)index\.html?$/s.exec(value)?.[1] : undefined
  if (folder !== undefined) rules.add(kind, `${folder}$`, line)
}

const textOf = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8')

function decide(rules: RuleSet, urlOrPath: string): RobotsAnswer {
  const decisive = rules.strongestFor(urlOrPath)
  if (decisive === undefined) return { allowed: true, rule: null }
  if (!decisive.allows && pathOf(urlOrPath).given === '/robots.txt') return { allowed: true, rule: null }
  return { allowed: decisive.allows, rule: decisive.line }
}

/** The name of a user agent in robots.txt: its product, cut to letters, `_` and `-` as the RFC requires. In
 *  "Mozilla/5.0 (compatible; Name/1.0)" it is `Name`. */
export function productTokenOf(userAgent: string): string {
  const named = /^Mozilla\/\S+ \((?:[^()]*;)? *compatible; *([^;/()\s]+)/i.exec(userAgent)?.[1] ?? userAgent
  return /^[a-z_-]*/i.exec(named.trim())![0]
}
