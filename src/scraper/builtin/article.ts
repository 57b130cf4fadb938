// article: something to read; who wrote it, when, and its main content as markdown.
import * as z from 'zod'
import type { Json } from '../../model/record.ts'
import { defineScraper } from '../define-scraper.ts'
import type { Normalizers } from '../normalizers.ts'
import type { PageView } from '../page-view.ts'
import { css, meta, pick, recordOf, textOf, things } from './pick.ts'
import { publishedAt } from './publish-date.ts'

const text = z.string().nullable().default(null)

export const articleResult = z.object({
  title: text,
  author: text,
  /** ISO 8601. */
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
const bylines = ['[rel="author"]', '.byline', '.author-name', '.author', '.post-author']

export const article = defineScraper({
  id: 'article',
  version: '1',
  name: 'Article',
  description: 'Something to read: title, author, dates and the main content as markdown.',
  input: z.object({ url: z.url() }),
  output: articleResult,
  async run({ open, emit, normalize }) {
    const page = await open()
    const [record, sources] = recordOf({
      ...headOf(page, normalize),
      ...datesOf(page, normalize),
      ...contentOf(page),
    })
    emit(record, sources)
  },
  validate: ([record]) => (record?.markdown ? null : 'nothing to read was found; this is no article'),
})

function headOf(page: PageView, normalize: Normalizers) {
  const read = (found: Json) => normalize.text(textOf(found))
  const address = (found: Json) => normalize.url(textOf(found), page.finalUrl)
  return {
    title: pick(
      read,
      things(page, types, 'headline'),
      meta(page, 'og:title', 'twitter:title'),
      css(page, 'article h1', 'h1', 'title'),
    ),
    author: pick(
      found => authorOf(read(found)),
      things(page, types, 'author'),
      meta(page, 'author', 'article:author', 'parsely-author', 'citation_author'),
      css(page, ...bylines),
    ),
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

/** "By Jane Doe"; an address of a profile is no name. */
const authorOf = (found: string | null): string | null =>
  found === null || /^https?:\/\//.test(found) ? null : found.replace(/^(by|von|par|por)\s+/i, '') || null

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
  const source = { from: 'page', by: 'main content' } as const
  const words = markdown?.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? null
  return { markdown: { value: markdown, source }, word_count: { value: words, source } }
}
