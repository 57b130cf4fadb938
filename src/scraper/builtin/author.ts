// The author of an article: from metadata, otherwise from the byline near the heading.
import type { Line } from '../../model/page/line.ts'
import type { Json } from '../../model/record.ts'
import type { PageView } from '../page-view.ts'
import { headingIndex } from './heading.ts'
import { type Candidate, meta, type Picked, pick, textOf } from './pick.ts'

const names = [
  'dc:creator',
  'dc.creator',
  'dcterms.creator',
  'dcterms:creator',
  'author',
  'article:author',
  'parsely-author',
  'citation_author',
  'sailthru.author',
  'byl',
  'og:article:author',
]

export function authorOf(page: PageView, declared: Candidate[]): Picked<string> {
  return pick(readAuthor, declared, meta(page, ...names), bylines(page))
}

/** Joins several authors to one text: "Jane Doe, John Roe". */
function readAuthor(found: Json): string | null {
  const parts = Array.isArray(found) ? found : [found]
  const authors = parts.map(part => cleanName(textOf(part))).filter(name => name !== null)
  return authors.length === 0 ? null : [...new Set(authors)].join(', ')
}

const openings =
  /^(?:(?:written|posted|published|reported|story|article|text)\s+by|by|von|par|por|de la redacción|di|da|door|av|af|autore?|autor(?:in)?|author|auteur|przez|автор|текст|作者|文|記者|기자)(?:\s*[:：]\s*|\s+)/iu
/** Matches a byline that starts with a date: "on 5 March 2024 by Jane Doe". */
const dateFirst = /^(?:on\b|posted\b|published\b|\W*\d).{0,60}?\b(?:by|von|par|por)\s+(?=\p{Lu})/u
/** Text after which the rest of a line is not part of the name. */
const endings =
  /\s*(?:[|•·–—]|\s-\s|\n|\bupdated\b|\bpublished\b|\bposted\b|\bfollow\b|\bfor the\b|@\w|\bam \d|\bon \d|\bon \p{Lu}|,?\s*(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|,?\s*(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?\s+\d|,?\s*\d{1,2}[./:]|,?\s*\d{4}|\d{1,2}(?:st|nd|rd|th)?\s+\p{L}{3}).*$/iu
const longestName = 100
/** Maximum length of text that may contain a name. Longer text describes an author. */
const longestText = 1_000

/** Extracts the name: "By Jane Doe | 5 March" gives Jane Doe. A profile URL is not a name. */
function cleanName(found: string | null): string | null {
  if (found === null || found.length > longestText || /^(?:https?:)?\/\//.test(found.trim())) return null
  const text = found
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const name = text
    .replace(dateFirst, '')
    .replace(openings, '')
    .replace(endings, '')
    .replace(/\s*[(<]?[\w.+-]+@[\w.-]+\.\w+[)>]?/g, '')
    .replace(/^[\s,:;|-]+|[\s,:;|-]+$/g, '')
    .trim()
  return name.length < 2 || name.length > longestName || !/\p{L}{2}/u.test(name) ? null : name
}

const authorMarks =
  /(?:^|[\s_-])(?:byline|by-line|author|authors|writer|autor|auteur|author-?name)(?:$|[\s_-])/
const startsBy = /^(?:by|von|par|por|di|door|av|af|written by|posted by|text:)\s+(?=\p{Lu})/iu
/** Number of lines below the heading that are searched for a byline. Bylines above the heading are rare. */
const below = 25
const above = 4
const longestLine = 120

/** Bylines near the heading: first the nearest line that is marked as a byline, then the nearest line that starts like one. */
function bylines(page: PageView): Candidate[] {
  const lines = page.lines()
  const heading = Math.max(0, headingIndex(page, lines))
  const near = lines
    .slice(Math.max(0, heading - above), heading + below)
    .filter((line, index) => mayName(line) && index !== Math.min(heading, above))
  const found = [
    ...near.filter(line => authorMarks.test(line.marks) && isName(line)),
    ...near.filter(line => startsBy.test(line.text)),
  ]
  return found.map(({ text }) => ({ from: 'css', by: 'the byline', value: text }))
}

const mayName = ({ text, isBeside }: Line): boolean => !isBeside && text.length <= longestLine

/** Whether the line may be a name: it has a capital letter, or a script without capitals. */
const isName = ({ text }: Line): boolean =>
  /\p{Lu}|\p{Lo}{2}/u.test(text) &&
  !/^(?:share|follow|about|comments?|last updated|updated|published|posted on)\b/i.test(text)
