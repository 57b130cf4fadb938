// The title of an article: declared headlines, compared with the title element and the heading.
import type { PageView } from '../page-view.ts'
import { headingIndex, plainTitle } from './heading.ts'
import { type Candidate, type Picked, textOf } from './pick.ts'

const declaredNames = [
  'dc:title',
  'dc.title',
  'dcterms.title',
  'dcterms:title',
  'citation_title',
  'og:title',
  'parsely-title',
  'twitter:title',
  'sailthru.title',
]
const separators = /\s+(?:[|\-–—\\/>»·•]|::|~)\s+|\s*[_|｜]\s*/gu

interface Titles {
  /** The text of the `title` element. */
  whole: string
  /** Names of the site, in lower case with letters and digits only. */
  siteNames: string[]
  heading: string | null
  headline: Candidate | null
}

/** The title of an article. A declared headline counts only if the page shows it, because it may be a summary. The site name is
 *  removed from a title if the rest of the title occurs elsewhere on the page. */
export function titleOf(page: PageView, headlines: Candidate[]): Picked<string> {
  const titles = titlesOf(page, headlines)
  const { headline, heading, whole } = titles
  const shown = headline !== null && isShown(textOf(headline.value)!, titles) ? pickedFrom(headline) : null
  if (shown?.source.from === 'jsonld') return shown
  const declared = declaredTitle(page, titles) ?? shown
  if (declared !== null) return declared
  if (heading !== null && (whole === '' || holds(whole, heading)))
    return picked(heading, 'the heading', 'css')
  if (whole !== '' && !titles.siteNames.includes(plainTitle(whole)))
    return picked(withoutSite(whole, titles), 'title', 'css')
  if (heading !== null) return picked(heading, 'the heading', 'css')
  if (whole !== '') return picked(whole, 'title', 'css')
  return { value: null, source: { from: 'none', why: 'the page has neither a title nor a heading' } }
}

const pickedFrom = ({ value, by, from }: Candidate): Picked<string> => picked(textOf(value)!.trim(), by, from)
const picked = (value: string, by: string, from: Candidate['from']): Picked<string> => ({
  value,
  source: { from, by },
})

function titlesOf(page: PageView, headlines: Candidate[]): Titles {
  const lines = page.lines()
  const at = headingIndex(page, lines)
  const line = lines[at]
  const heading = line && line.block === 'h1' ? line.text : null
  const host = URL.parse(page.finalUrl)?.hostname.replace(/^www\./, '') ?? ''
  const names = [page.meta('og:site_name'), page.meta('application-name'), host, host.split('.').at(-2)]
  return {
    whole: page.text('head title') ?? page.text('title') ?? '',
    siteNames: names.map(name => plainTitle(name ?? '')).filter(name => name.length > 1),
    heading,
    headline: headlines.find(({ value }) => (textOf(value)?.trim().length ?? 0) > 0) ?? null,
  }
}

/** The first declared title that is not only the name of the site. */
function declaredTitle(page: PageView, titles: Titles): Picked<string> | null {
  for (const name of declaredNames) {
    const value = page.meta(name)
    if (value === null || titles.siteNames.includes(plainTitle(value))) continue
    return picked(withoutNamedSite(value, titles), name, 'meta')
  }
  return null
}

const holds = (whole: string, part: string): boolean => plainTitle(whole).includes(plainTitle(part))

/** Whether the title element or the heading contains the headline, too. */
const isShown = (headline: string, { whole, heading }: Titles): boolean =>
  plainTitle(headline) !== '' &&
  (holds(whole, headline) || (heading !== null && (holds(heading, headline) || holds(headline, heading))))

/** Removes the site name if the heading or headline contains the rest: "New Zealand - Wikipedia" becomes "New
 *  Zealand". */
function withoutNamedSite(title: string, titles: Titles): string {
  const known = [titles.heading, textOf(titles.headline?.value)].map(text => plainTitle(text ?? ''))
  const rest = [cutEnd(title, titles), cutStart(title, titles)].find(
    cut => cut !== null && known.includes(plainTitle(cut)),
  )
  return rest ?? title
}

function cutEnd(title: string, { siteNames }: Titles): string | null {
  const last = [...title.matchAll(separators)].at(-1)
  if (last === undefined) return null
  return isSite(title.slice(last.index + last[0].length), siteNames)
    ? title.slice(0, last.index).trim()
    : null
}

function cutStart(title: string, { siteNames }: Titles): string | null {
  const first = title.matchAll(separators).next().value
  if (first === undefined) return null
  return isSite(title.slice(0, first.index), siteNames)
    ? title.slice(first.index + first[0].length).trim()
    : null
}

/** Whether the text is a name of the site: "The Guardian" is the site of theguardian.com. */
function isSite(text: string, siteNames: string[]): boolean {
  const joined = withoutMarks(text)
  return siteNames.some(name => withoutMarks(name) === joined)
}

/** The text without accents: "Aktuálně.cz" is the site of aktualne.cz. */
const withoutMarks = (text: string): string =>
  plainTitle(text)
    .normalize('NFD')
    .replace(/[\p{M}\s]/gu, '')

/** A title has at least this many words. Fewer words name a section. */
const fewestWords = 3

/** Only for a title that occurs nowhere else on the page. Removes the last part of the title if that part is
 *  the name of the site, or if the rest has enough words. */
function withoutSite(title: string, titles: Titles): string {
  const named = cutEnd(title, titles) ?? cutStart(title, titles)
  if (named !== null) return named
  const last = [...title.matchAll(separators)].at(-1)
  if (last === undefined) return title
  const rest = title.slice(0, last.index).trim()
  return rest.split(/\s+/).length >= fewestWords || /\p{Script=Han}{6}/u.test(rest) ? rest : title
}
