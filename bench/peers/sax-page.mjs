// Five fields and the links of a page, by htmlparser2's events and nothing else.
import { Parser } from 'htmlparser2'

export function readPage(url, html) {
  const record = { url, title: '', canonical: null, price: null, description: null, sku: null }
  const links = []
  let into = null
  let text = ''
  const parser = new Parser({
    onopentag(name, attributes) {
      into = null
      if (name === 'a') links.push(new URL(attributes.href, url).href)
      else if (name === 'title') into = 'title'
      else if (name === 'meta' && attributes.name === 'description') record.description = attributes.content
      else if (name === 'link' && attributes.rel === 'canonical') record.canonical = attributes.href
      else if (name === 'script' && attributes.type === 'application/ld+json') into = 'sku'
      else if (attributes.class === 'price' && record.price === null) into = 'price'
      text = ''
    },
    ontext(more) {
      if (into !== null) text += more
    },
    onclosetag() {
      if (into === 'sku') record.sku = JSON.parse(text).sku
      else if (into !== null) record[into] = text
      into = null
    },
  })
  parser.end(html)
  return { record, links }
}
