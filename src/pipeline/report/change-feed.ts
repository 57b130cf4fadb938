// The changes that a monitor found as an Atom or RSS feed, one entry per changed page.
import { escapeHtml } from '../../lib/text/escape-html.ts'
import type { Check, PageChange } from '../../model/monitor.ts'

interface FeedFacts {
  name: string
  /** The URL of the monitor. */
  link: string
  /** The URL of the feed. */
  self: string
  /** The latest check first. */
  checks: readonly Check[]
}

const entriesOf = (checks: readonly Check[]) =>
  checks.flatMap(check =>
    // The first check has nothing to compare with. Pages that could not be fetched are not changes.
    check.against === null
      ? []
      : check.changes.filter(({ status }) => status !== 'error').map(change => ({ check, change })),
  )

export function atomFeed({ name, link, self, checks }: FeedFacts): string {
  const updated = new Date(checks[0]?.at ?? 0).toISOString()
  const entries = entriesOf(checks).map(
    ({ check, change }) => `  <entry>
    <id>${xml(idOf(check, change))}</id>
    <title>${xml(titleOf(change))}</title>
    <link href="${xml(change.url)}"/>
    <updated>${new Date(check.at).toISOString()}</updated>
    <category term="${change.status}"/>
    <content type="html">${xml(contentOf(change))}</content>
  </entry>\n`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${xml(link)}</id>
  <title>${xml(name)}</title>
  <link href="${xml(link)}"/>
  <link rel="self" href="${xml(self)}"/>
  <updated>${updated}</updated>
  <author><name>kscrape</name></author>
${entries.join('')}</feed>
`
}

export function rssFeed({ name, link, self, checks }: FeedFacts): string {
  const items = entriesOf(checks).map(
    ({ check, change }) => `    <item>
      <guid isPermaLink="false">${xml(idOf(check, change))}</guid>
      <title>${xml(titleOf(change))}</title>
      <link>${xml(change.url)}</link>
      <pubDate>${new Date(check.at).toUTCString()}</pubDate>
      <category>${change.status}</category>
      <description>${xml(contentOf(change))}</description>
    </item>\n`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
  <channel>
    <title>${xml(name)}</title>
    <link>${xml(link)}</link>
    <atom:link rel="self" type="application/rss+xml" href="${xml(self)}"/>
    <description>What changed on the pages of the monitor ${xml(name)}</description>
${items.join('')}  </channel>
</rss>
`
}

const idOf = ({ jobId }: Check, { url }: PageChange): string =>
  `urn:kscrape:${encodeURIComponent(jobId)}:${encodeURIComponent(url)}`

const titleOf = ({ status, title, url }: PageChange): string => `${status}: ${title ?? url}`

/** The HTML content of an entry. The page text is escaped here as HTML; the caller escapes the result again as XML. */
const contentOf = ({ diff, reason }: PageChange): string =>
  diff ? `<pre>${xml(diff)}</pre>` : `<p>${xml(reason ?? 'The page exists.')}</p>`

/** Escapes text for XML, and removes characters that XML does not allow. */
const xml = (text: string): string =>
  escapeHtml(
    text.replace(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '',
    ),
  )
