// The publication date of an article: metadata, then its URL, then visible text.
import type { Line } from '../../model/page/line.ts'
import type { Json } from '../../model/record.ts'
import type { Normalizers, ReadingHints } from '../normalizers.ts'
import type { PageView } from '../page-view.ts'
import { headingIndex } from './heading.ts'
import { type Candidate, meta, type Picked, pick, textOf } from './pick.ts'

const metaNames = [
  'article:published_time',
  'article:published',
  'og:published_time',
  'og:article:published_time',
  'datepublished',
  'date.published',
  'publish-date',
  'publish_date',
  'publishdate',
  'published_date',
  'published-date',
  'published',
  'publication_date',
  'publication-date',
  'pubdate',
  'bt:pubdate',
  'parsely-pub-date',
  'sailthru.date',
  'cxenseparse:recs:publishtime',
  'rnews:datepublished',
  'original-publish-date',
  'citation_publication_date',
  'citation_online_date',
  'citation_date',
  'dcterms.issued',
  'dc.date.issued',
  'dc.date.published',
  'og:release_date',
  'shareaholic:article_published_time',
  'dateposted',
]
/** Names that may also contain the date of the last change. */
const weakNames = ['date', 'dc.date', 'dcterms.date', 'og:pubdate']
const createdNames = [
  'uploaddate',
  'datecreated',
  'dcterms.created',
  'dc.date.created',
  'dc.created',
  'created',
]

/** Types of other things on a page that have their own dates. */
const otherThings =
  /^(?:Comment|UserComments|Review|.*Event|Rating|Answer|Offer|Person|Organization|ImageObject|MediaObject|Product|ItemList|ListItem|Dataset)$/
const dayMs = 86_400_000
const earliest = '1990-01-01'

export function publishedAt(page: PageView, normalize: Normalizers): Picked<string> {
  const read = dateReader(page, normalize)
  const strong = first(pick(read, meta(page, ...metaNames)), pick(read, described(page, 'datePublished')))
  const inUrl = pick(read, urlDates(page))
  if (strong.value !== null) return localDay(strong, inUrl)
  if (inUrl.value !== null) return inUrl
  const seen = seenDate(page, normalize)
  if (seen.score >= sure) return seen
  const weak = pick(read, meta(page, ...weakNames), otherMeta(page, 'publish', 'pubdate'))
  const created = pick(
    read,
    described(page, 'uploadDate'),
    described(page, 'dateCreated'),
    meta(page, ...createdNames),
    otherMeta(page, 'upload'),
  )
  return [weak, seen, created].find(({ value }) => value !== null) ?? strong
}

/** Converts a value to a full date. Null if it is in the future, or older than the web. */
function dateReader(
  page: PageView,
  normalize: Normalizers,
  hints: ReadingHints = {},
): (found: Json) => string | null {
  // The latest plausible date is one day after the fetch or after now, whichever is later. The fetch time of
  // a golden page is fixed, and may be earlier than the dates on the page.
  const latest = new Date(Math.max(page.fetchedAt, Date.now()) + dayMs).toISOString().slice(0, 10)
  const given = { language: page.language, url: page.finalUrl, ...hints }
  return found => {
    const date = normalize.date(textOf(found), given)
    const day = date?.slice(0, 10) ?? ''
    return day.length === 10 && day >= earliest && day <= latest ? date : null
  }
}

/** The earlier of two dates, because the later one is the date of a change. If both are the same moment, returns the
 *  one in the site's time zone. */
function first(one: Picked<string>, other: Picked<string>): Picked<string> {
  if (one.value === null || other.value === null) return one.value === null ? other : one
  if (Date.parse(one.value) === Date.parse(other.value)) return one.value.endsWith('Z') ? other : one
  return dayOf(other.value) < dayOf(one.value) ? other : one
}

/** Near midnight, a UTC time may fall on another day than in the site's time zone. Then the day in the URL is used. */
function localDay(said: Picked<string>, inUrl: Picked<string>): Picked<string> {
  if (inUrl.value === null || !said.value!.endsWith('Z')) return said
  return Math.abs(dayOf(said.value!) - dayOf(inUrl.value)) === dayMs ? inUrl : said
}

const dayOf = (date: string): number => Date.parse(date.slice(0, 10))

/** Dates in structured data, of articles first, then of other subjects of the page. */
function described(page: PageView, property: string): Candidate[] {
  const all = page
    .things()
    .filter(({ type, properties }) => !otherThings.test(type) && properties[property] !== undefined)
  const isArticle = (type: string) => /(?:Article|Posting|Report)$/.test(type)
  const ordered = [
    ...all.filter(({ type }) => isArticle(type)),
    ...all.filter(({ type }) => !isArticle(type)),
  ]
  return ordered.map(({ from, type, properties }) => ({
    from,
    by: `${type}.${property}`,
    value: properties[property]!,
  }))
}

/** Dates in meta elements with custom names, such as `five_hundred_pixels:uploaded`. */
function otherMeta(page: PageView, ...words: string[]): Candidate[] {
  return words.flatMap(word =>
    ['property', 'name', 'itemprop'].map(attribute => {
      const by = `meta[${attribute}*="${word}" i]:not([${attribute}*="modif" i])`
      return { from: 'meta' as const, by, value: page.attr(by, 'content') }
    }),
  )
}

const yearFirst =
  /(?:^|[/_.-])((?:19|20)\d{2})([/_.-]?)(0?[1-9]|1[0-2])(?:\2|\/)(0?[1-9]|[12]\d|3[01])(?=$|[/_.?&-]|[a-z])/i
const dayFirst = /(?:^|[/_.-])(0[1-9]|[12]\d|3[01])([_.-]?)(0[1-9]|1[0-2])\2((?:19|20)\d{2})(?=$|[/_.?&-])/

function urlDates(page: PageView): Candidate[] {
  const canonical = page.attr('link[rel="canonical"]', 'href')
  const urls = [page.finalUrl, canonical, page.meta('og:url')]
  return urls.map(url => ({ from: 'page', by: 'the address', value: dayInUrl(url ?? '') }))
}

function dayInUrl(url: string): string | null {
  // A web archive prefixes the URL with the time of its copy, which is removed.
  const path = url
    .replace(/^https?:\/\/[^/]*archive\.[^/]*\/web\/\d+[a-z_]*\//, '')
    .replace(/^https?:\/\/[^/]+/, '')
  const found = yearFirst.exec(path)
  if (found && isPlainDay(found[2]!, found[3]!, found[4]!))
    return `${found[1]}-${pad(found[3]!)}-${pad(found[4]!)}`
  const turned = dayFirst.exec(path)
  return turned ? `${turned[4]}-${turned[3]}-${turned[1]}` : null
}

/** True if the digits of month and day can be told apart. Without a separator, both must have two digits. */
const isPlainDay = (mark: string, month: string, day: string): boolean =>
  mark !== '' || (month.length === 2 && day.length === 2)
const pad = (digits: string): string => digits.padStart(2, '0')

interface Seen {
  date: string
  score: number
}

/** The visible date near the heading, with a score. */
function seenDate(page: PageView, normalize: Normalizers): Picked<string> & { score: number } {
  const lines = page.lines()
  const heading = headingIndex(page, lines)
  const read = dateReader(page, normalize)
  let best: Seen | null = null
  for (const [index, line] of lines.entries()) {
    const distance = heading === -1 ? null : index - heading
    if (!mayDate(line, distance)) continue
    const date = dateOf(line, read)
    if (date === null) continue
    const score = scoreOf(line, lines[index - 1]?.text ?? '', distance)
    if (score >= enough && (best === null || score > best.score)) best = { date, score }
  }
  const by = 'the lines around the heading'
  return best === null
    ? { value: null, source: { from: 'none', why: `not in ${by}` }, score: 0 }
    : { value: best.date, source: { from: 'page', by }, score: best.score }
}

const enough = 14
/** From this score on, the visible date is more reliable than metadata that may mean the last change. */
const sure = 24
const longestLine = 250
/** Maximum number of lines between the heading and a date. Lines farther away belong to other content. */
const farthest = 600
/** Maximum length of a dateline at the start of a paragraph: "31 October 2023. The ferry …". */
const dateline = 40
const published =
  /publi(?:shed|é|cado|cata|cerad|kována|ceret)|posted|first seen|veröffentlicht|erschienen|erstellt|datum|date\b|fecha|data\b|mise en ligne|опубликован|дата|dodano|geplaatst|yayın|発表|发布|发表|时间|게시|입력/iu
const updated =
  /updated|modified|aktualisiert|geändert|mis à jour|modifié|actualizad[oa]|aggiornat[oa]|atualizad[oa]|обновлен|zaktualizowan|bijgewerkt|更新|수정/iu
const dateMarks =
  /(?:^|[\s_-])(?:\w*date|datum|datetime|fecha|time|timestamp|\w*time|publi\w*|posted\w*|created\w*|meta|byline|dateline|info|stand)(?=$|[\s_-])|datepublished|pubdate|publish/

const mayDate = (line: Line, distance: number | null): boolean =>
  (!line.isBeside || (distance !== null && distance > -4 && distance < 10)) &&
  (distance === null || Math.abs(distance) < farthest) &&
  (line.datetime !== null || /\d/.test(line.text))

function dateOf(line: Line, read: (found: Json) => string | null): string | null {
  const told = line.datetime === null ? null : read(line.datetime)
  if (told !== null) return told
  const cut = line.text.search(updated)
  const before = cut > 0 && cut <= longestLine ? read(line.text.slice(0, cut)) : null
  if (before !== null) return before
  return line.text.length > 100 ? startDate(line.text, read) : read(line.text)
}

/** In a paragraph, only a date at its start counts. */
function startDate(text: string, read: (found: Json) => string | null): string | null {
  const isStart = /^\P{L}{0,4}\d|^\p{L}{3,12}\.? \d/u.test(text)
  return isStart ? read(text.slice(0, dateline)) : text.length <= longestLine ? read(text) : null
}

function scoreOf(line: Line, label: string, distance: number | null): number {
  const { text } = line
  let score = nearness(distance)
  if (dateMarks.test(line.marks)) score += 10
  if (published.test(text.slice(0, 60)) || (label.length < 25 && published.test(label))) score += 8
  if (line.datetime !== null) score += 6
  score += text.length <= 40 ? 8 : text.length <= 100 ? 3 : /^\W{0,3}\d/.test(text) ? 4 : -8
  if (updated.test(text) && text.search(updated) < 3) score -= 6
  if (line.isLink) score -= 3
  if (line.isBeside) score -= 8
  if (/^h\d$/.test(line.block) && text.length > 40) score -= 4
  return score
}

function nearness(distance: number | null): number {
  if (distance === null) return 6
  if (distance < -6) return -10
  // A date in the heading itself is the subject of the page, so it gets a low score.
  if (distance === 0) return 2
  if (distance > 0 && distance <= 14) return 16 - distance
  if (distance < 0 && distance >= -6) return 13 + 2 * distance
  return Math.max(-4, 4 - Math.abs(distance) / 20)
}
