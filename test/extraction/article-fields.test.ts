// Tests title, author and publication date of articles. Each small page has one difficulty.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { article } from '../../src/scraper/builtin/article.ts'
import { scrapedPage } from '../support/scraped-page.ts'

const prose =
  '<p>The ferry to the outer islands has run late every morning this month, and nobody on the pier is surprised any more. The harbour master keeps a book of reasons.</p>'.repeat(
    4,
  )
const written = (head: string, body: string) =>
  `<!doctype html><html lang="en-GB"><head>${head}</head><body>${body}</body></html>`

interface Case {
  name: string
  head?: string
  body?: string
  url?: string
  is: Record<string, unknown>
}

const ld = (value: object) =>
  `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...value })}</script>`

const cases: Case[] = [
  {
    name: 'a headline that the page does not show is a summary, not the title',
    head: `<title>New Zealand - Tidepedia</title>${ld({ '@type': 'Article', headline: 'island country in the Pacific' })}`,
    body: `<h1>New Zealand</h1>${prose}`,
    is: { title: 'New Zealand' },
  },
  {
    name: 'the name of the site is removed from a declared title if the heading is the rest',
    head: '<title>Late again | The Islander</title><meta property="og:title" content="Late again | The Islander"><meta property="og:site_name" content="The Islander">',
    body: `<h1>Late again</h1>${prose}`,
    is: { title: 'Late again' },
  },
  {
    name: 'a heading that the title does not have is the name of the site',
    head: '<title>Why the ferry is late | Boats | Jane Doe</title>',
    body: `<h1>Hi, I am Jane.</h1>${prose}`,
    is: { title: 'Why the ferry is late | Boats' },
  },
  {
    name: 'a declared title with only the name of the site does not count',
    head: '<title>Late again</title><meta property="og:title" content="The Islander"><meta property="og:site_name" content="The Islander">',
    body: `<h1>Late again</h1>${prose}`,
    is: { title: 'Late again' },
  },
  {
    name: 'a meta element with several property names counts for each of them',
    head: '<title>Other</title><meta property="x:title dc:title" content="Late again"><meta property="dc:creator x:y" content="Jane Doe">',
    body: `<h1>Late again</h1>${prose}`,
    is: { title: 'Late again', author: 'Jane Doe' },
  },
  {
    name: 'all authors in the structured data are listed',
    head: ld({
      '@type': 'NewsArticle',
      headline: 'Late',
      author: [{ name: 'Jane Doe' }, { name: 'John Roe' }],
    }),
    body: `<h1>Late</h1>${prose}`,
    is: { author: 'Jane Doe, John Roe' },
  },
  {
    name: 'the author comes from the byline at the heading, without its date',
    body: `<nav><p class="author">Someone Else</p></nav><h1>Late again</h1><div class="byline">By Jane Doe • March 5, 2024</div>${prose}`,
    is: { author: 'Jane Doe', published_at: '2024-03-05' },
  },
  {
    name: 'a byline may start with the date',
    body: `<h1>Late again</h1><p class="author">on March 10, 2015 by Jane Doe</p>${prose}`,
    is: { author: 'Jane Doe', published_at: '2015-03-10' },
  },
  {
    name: 'a byline with only an update time gives no author',
    body: `<h1>Late again</h1><p class="author">Last Updated: January 7, 2025</p>${prose}`,
    is: { author: null },
  },
  {
    name: 'if the page has no date, the publication date comes from the URL',
    url: 'https://golden.example/news/2021/10/20/late-again/',
    body: `<h1>Late again</h1>${prose}`,
    is: { published_at: '2021-10-20' },
  },
  {
    name: 'if a time in UTC is one day after the date in the URL, the date in the URL is used',
    url: 'https://golden.example/2023/11/08/late-again/',
    head: '<meta property="article:published_time" content="2023-11-09T05:30:59Z">',
    body: `<h1>Late again</h1>${prose}`,
    is: { published_at: '2023-11-08' },
  },
  {
    name: 'if a page has two publication dates, the earlier one is used',
    head: `<meta property="article:published_time" content="2024-12-07T12:43:39Z">${ld({ '@type': 'NewsArticle', headline: 'Late', datePublished: '2024-12-06T22:00:40Z' })}`,
    body: `<h1>Late</h1>${prose}`,
    is: { published_at: '2024-12-06T22:00:40.000Z' },
  },
  {
    name: 'a date of other structured data is used, but not the date of a comment',
    head: `${ld({ '@type': 'Comment', datePublished: '2020-01-01' })}${ld({ '@type': 'HowTo', name: 'Late', datePublished: '2022-01-10' })}`,
    body: `<h1>Late</h1>${prose}`,
    is: { published_at: '2022-01-10' },
  },
  {
    name: 'a date near the heading is used, but not the current date at the top of the page',
    body: `<div class="date">Wednesday, 1 November 2023</div>${'<p>Weather</p>'.repeat(9)}<h1>Late again</h1><p>31 October 2023. The ferry is late again. ${prose}</p>`,
    is: { published_at: '2023-10-31' },
  },
  {
    name: 'a date in a sidebar is not the date of the article',
    body: `<h1>Late again</h1><p class="info">Published: 24/03/2022</p>${prose}<aside><time datetime="2024-01-01">1 January 2024</time></aside>`,
    is: { published_at: '2022-03-24' },
  },
  {
    name: 'the label of a date may be in the line before it',
    body: `<h1>Late again</h1>${prose}<dl><dt>Published</dt><dd>23 May 2019</dd></dl>`,
    is: { published_at: '2019-05-23' },
  },
  {
    name: 'the upload date of a video is not the date of the article',
    head: '<meta itemprop="uploadDate" content="2017-01-10">',
    body: `<h1>Late again</h1><p class="date">June 13, 2019</p>${prose}`,
    is: { published_at: '2019-06-13' },
  },
  {
    name: 'a date in the future is ignored',
    head: '<meta property="article:published_time" content="2999-01-01">',
    body: `<h1>Late again</h1>${prose}`,
    is: { published_at: null },
  },
  {
    name: 'a day without a year is not used as the publication date',
    body: `<h1>Late again</h1><p class="date">24 June</p>${prose}`,
    is: { published_at: null },
  },
]

for (const { name, head = '', body = prose, url, is } of cases) {
  test(name, async () => {
    const record = await scrapedPage(article, written(head, body), url)
    const found = Object.fromEntries(Object.keys(is).map(field => [field, record[field]]))
    assert.deepEqual(found, is)
  })
}
