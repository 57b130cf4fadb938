// The same work with other libraries: links, five fields, the main content, markdown.
import { Readability } from '@mozilla/readability'
import { load } from 'cheerio'
import { parseHTML } from 'linkedom'
import { parse } from 'parse5'
import TurndownService from 'turndown'

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })

/** cheerio on htmlparser2 (forgiving) or on parse5 (exact). */
const loaded = (html, isForgiving) => load(html, isForgiving ? { xml: { xmlMode: false } } : {})

export function cheerioLinks(html, isForgiving) {
  return linksIn(loaded(html, isForgiving))
}

export function cheerioFields(html, isForgiving) {
  const $ = loaded(html, isForgiving)
  return {
    fields: {
      title: $('title').text(),
      canonical: $('link[rel=canonical]').attr('href'),
      price: $('.price').first().text(),
      description: $('meta[name=description]').attr('content'),
      heading: $('article h1').first().text(),
    },
    links: linksIn($),
  }
}

const linksIn = $ =>
  $('a[href]')
    .toArray()
    .map(link => link.attribs.href)

export function parse5Links(html) {
  const links = []
  const open = [parse(html)]
  while (open.length > 0) {
    const node = open.pop()
    if (node.tagName === 'a') {
      const href = node.attrs.find(({ name }) => name === 'href')
      if (href) links.push(href.value)
    }
    if (node.childNodes)
      for (let at = node.childNodes.length - 1; at >= 0; at--) open.push(node.childNodes[at])
  }
  return links
}

export const wholeMarkdown = html => turndown.turndown(html)

/** The main content as Readability finds it, as markdown. */
export function readableMarkdown(html) {
  const article = new Readability(parseHTML(html).document).parse()
  return { title: article.title, text: article.textContent, markdown: turndown.turndown(article.content) }
}
