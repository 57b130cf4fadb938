// robots.txt by RFC 9309: the groups that speak to us, and what they say of a path.
import { type RobotsLine, readLines } from './lines.ts'
import { pathOf } from './path-pattern.ts'
import { RuleSet } from './rule-set.ts'

export interface RobotsAnswer {
  allowed: boolean
  /** The line that decided, as in `Disallow: /private (line 3)`; null when none spoke of the path. */
  rule: string | null
}

export interface RobotsRules {
  /** Takes a URL, or a path with its query. */
  isAllowed(urlOrPath: string): RobotsAnswer
  /** As the file says, without any cap of ours. */
  crawlDelayMs: number | null
  /** As they stand in the file; relative ones are the caller's to resolve. */
  sitemaps: string[]
}

/** What is said to one agent, all its groups together. */
interface Section {
  wasNamed: boolean
  rules: RuleSet
  crawlDelayMs: number | null
}

/**
 * The sections that the current lines apply to. A rule or a Crawl-delay closes the list of names, and the next name starts
 * a new group. RFC 9309 lets unknown lines pass, but a group of only Crawl-delay lines must not merge with the next one.
 */
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
  // "Foo/2.1" and "Foo Bar" are read as "Foo".
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
  // Said twice, the longer one is the safer reading.
  for (const section of group.sections) section.crawlDelayMs = Math.max(section.crawlDelayMs ?? 0, delayMs)
}

function addRule(group: Group, line: RobotsLine): void {
  group.closed = true
  // An empty Disallow forbids nothing, and an empty Allow adds nothing.
  if (line.value === '' || group.sections.size === 0) return
  for (const section of group.sections) addTo(section.rules, line)
}

function addTo(rules: RuleSet, { key, value, number }: RobotsLine): void {
  const kind = key === 'allow' ? 'allow' : 'disallow'
  const line = `${kind === 'allow' ? 'Allow' : 'Disallow'}: ${textOf(value)} (line ${number})`
  rules.add(kind, value, line)
  // `Allow: /x/index.html` also allows `/x/`, which serves the same page.
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

/**
 * The name robots.txt knows us by: the product of a user agent, cut to the letters, `_` and `-` that the RFC allows. Behind
 * a browser's preamble ("Mozilla/5.0 (compatible; Name/1.0)") it is the compatible one.
 */
export function productTokenOf(userAgent: string): string {
  const named = /^Mozilla\/\S+ \((?:[^()]*;)? *compatible; *([^;/()\s]+)/i.exec(userAgent)?.[1] ?? userAgent
  return /^[a-z_-]*/i.exec(named.trim())![0]
}
