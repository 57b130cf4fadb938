// The scraper `article`: author, dates, and main content as markdown.
import * as z from 'zod'
import type { FieldSource, Json } from '../../model/record.ts'
import { defineScraper } from '../define-scraper.ts'
import type { Normalizers } from '../normalizers.ts'
import type { PageView } from '../page-view.ts'
import { authorOf } from './author.ts'
import { articlePage } from './kinds.ts'
import { type Candidate, meta, pick, recordOf, textOf, things } from './pick.ts'
import { publishedAt } from './publish-date.ts'
import { titleOf } from './title.ts'

const text = z.string().nullable().default(null)

const articleResult = z.object({
  title: text,
  author: text,
  /** Publication time, ISO 8601. */
  published_at: text,
  modified_at: text,
  site_name: text,
  section: text,
  description: text,
  image: text,
  markdown: text,
  word_count: z.number().int().nullable().default(null),
})

const types = [
  'NewsArticle',
  'Article',
  'BlogPosting',
  'TechArticle',
  'ScholarlyArticle',
  'Report',
  'AnalysisNewsArticle',
  'LiveBlogPosting',
]

export const article = defineScraper({
  id: 'article',
  version: '1',
  name: 'Article',
  description: 'An article: title, author, dates and the main content as markdown.',
  input: z.object({ url: z.url() }),
  output: articleResult,
  reads: articlePage,
  async run({ open, emit, normalize }) {
    const page = await open()
    const [record, sources] = recordOf({
      ...headOf(page, normalize),
      ...datesOf(page, normalize),
      ...contentOf(page),
    })
    emit(record, sources)
  },
  validate: ([record]) => (record?.markdown ? null : 'no text was found; this is not an article'),
})

function headOf(page: PageView, normalize: Normalizers) {
  const read = (found: Json) => normalize.text(textOf(found))
  const address = (found: Json) => normalize.url(textOf(found), page.finalUrl)
  return {
    title: titleOf(page, things(page, types, 'headline')),
    author: authorOf(page, authorsOf(page)),
    site_name: pick(read, things(page, types, 'publisher'), meta(page, 'og:site_name', 'application-name')),
    section: pick(read, things(page, types, 'articleSection'), meta(page, 'article:section')),
    description: pick(
      read,
      things(page, types, 'description'),
      meta(page, 'description', 'og:description', 'twitter:description'),
    ),
    image: pick(address, meta(page, 'og:image', 'twitter:image'), things(page, types, 'image')),
  }
}

/** All authors of an article, not only the first. */
const authorsOf = (page: PageView): Candidate[] =>
  types.flatMap(type =>
    page
      .things(type)
      .map(({ from, properties }) => ({ from, by: `${type}.author`, value: properties.author ?? null })),
  )

function datesOf(page: PageView, normalize: Normalizers) {
  const date = (found: Json) => normalize.date(textOf(found))
  return {
    published_at: publishedAt(page, normalize),
    modified_at: pick(
      date,
      things(page, types, 'dateModified'),
      meta(page, 'article:modified_time', 'og:updated_time', 'last-modified'),
    ),
  }
}

function contentOf(page: PageView) {
  const markdown = page.markdown() || null
  const source: FieldSource = markdown
    ? { from: 'page', by: 'main content' }
    : { from: 'none', why: 'the page has no main content' }
  const words = markdown?.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? null
  return { markdown: { value: markdown, source }, word_count: { value: words, source } }
}
