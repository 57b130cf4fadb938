// The main content of a page by other libraries. If a library fails on a page, its result is empty.
import { Readability } from '@mozilla/readability'
import { Defuddle } from 'defuddle/node'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })

const fieldsOf = article => ({
  title: article.title,
  byline: article.byline ?? article.author,
  lang: article.lang ?? article.language,
  publishedTime: article.publishedTime ?? article.published,
  siteName: article.siteName ?? article.site,
  excerpt: article.excerpt ?? article.description,
})

export function readable(html, asMarkdown) {
  try {
    const article = new Readability(parseHTML(html).document).parse()
    if (article === null) return { text: '' }
    if (asMarkdown) return { markdown: turndown.turndown(article.content) }
    return { text: textOf(article.content), fields: fieldsOf(article) }
  } catch {
    return { text: '' }
  }
}

export async function defuddled(html, url, asMarkdown) {
  const { log, warn, error } = console
  try {
    // Defuddle prints notes about pages, which would hide the table.
    console.log = console.warn = console.error = () => {}
    const article = await Defuddle(parseHTML(html).document, url, { markdown: asMarkdown, useAsync: false })
    if (asMarkdown) return { markdown: article.content ?? '' }
    return { text: textOf(article.content ?? ''), fields: fieldsOf(article) }
  } catch {
    return { text: '' }
  } finally {
    Object.assign(console, { log, warn, error })
  }
}

const blocks =
  'p,div,h1,h2,h3,h4,h5,h6,li,ul,ol,table,tr,td,th,blockquote,pre,section,article,figure,figcaption,br,dd,dt'

/** The text with a line break around blocks, so that words of two blocks are not joined. */
function textOf(html) {
  const { document } = parseHTML(`<html><body>${html}</body></html>`)
  for (const block of document.querySelectorAll(blocks)) block.after('\n')
  return document.body.textContent
}
