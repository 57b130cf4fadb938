// Converts a page to the format of `kscrape scrape --format`.
import { mainContent, wholePage } from './content/main-content.ts'
import { toMarkdown } from './content/markdown.ts'
import { toPlainText } from './content/plain-text.ts'
import { absoluteLinks, defaultRecord, type PageNotes } from './default-record.ts'
import type { FlatDocument } from './document/index.ts'
import { findLinks } from './links.ts'

export const pageFormats = ['markdown', 'html', 'text', 'json', 'links'] as const
type PageFormat = (typeof pageFormats)[number]

interface FormatOptions {
  /** Use the whole page instead of the main content. Only for markdown and text. */
  full?: boolean
}

/** Returns the page in this format, with a line break at the end. Empty if the page has no content for the
 *  format. */
export function formatPage(
  document: FlatDocument,
  page: PageNotes,
  format: PageFormat,
  { full = false }: FormatOptions = {},
): string {
  const links = findLinks(document, page.finalUrl)
  switch (format) {
    case 'markdown':
      return ended(toMarkdown(document, full ? wholePage(document) : mainContent(document), links.base))
    case 'text':
      return ended(toPlainText(document, full ? wholePage(document) : mainContent(document)))
    case 'html':
      return ended(document.source)
    case 'links':
      return ended(absoluteLinks(links).join('\n'))
    case 'json':
      return ended(JSON.stringify(defaultRecord(document, page, links).data, null, 2))
  }
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
