// Parses RSS and Atom leniently: keeps everything before an error. Ignores DTDs and custom entities.
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { type Feed, type FeedEntry, maxEntries, newEntry, newFeed } from './feed.ts'
import { mediaFields, takeFeedImage, takeMedia } from './feed-media.ts'
import { escaped } from './json-feed.ts'

const roots = new Set(['rss', 'feed', 'rdf'])
const maxNesting = 200
/** The parser stops after this many errors. */
const maxFaults = 1_000
/** The text is parsed in parts of this length. Between two parts, the parser can stop. */
const partLength = 16_384
/** An ampersand that starts no entity. This is the most common error. */
const bareAmpersand = /&(?!(?:#\d+|#x[\da-f]+|[a-z][\da-z]*);)/gi

/** Null if the text is not a feed. */
export function readXmlFeed(text: string): Feed | null {
  const root = rootOf(text)
  if (root === null || !roots.has(localName(root))) return null
  return new FeedReader(root.includes(':') ? root.slice(0, root.indexOf(':') + 1) : '').read(text)
}

/** The name of the first element in lower case; null if the text is not XML. */
function rootOf(text: string): string | null {
  const start = text.slice(0, 10_000)
  if (!/^[\s\uFEFF]*</.test(start)) return null
  const bare = start.replace(/<!--[\s\S]*?-->/g, '')
  return /<([a-z][\w.:-]*)/i.exec(bare)?.[1]?.toLowerCase() ?? null
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** Field of an entry by element name. The first value that is not empty counts. */
const entryFields: Readonly<Record<string, keyof FeedEntry>> = {
  title: 'title',
  link: 'link',
  guid: 'id',
  id: 'id',
  description: 'summary',
  summary: 'summary',
  'content:encoded': 'content',
  content: 'content',
  pubdate: 'published',
  published: 'published',
  issued: 'published',
  'dc:date': 'published',
  updated: 'updated',
  modified: 'updated',
  author: 'author',
  'dc:creator': 'author',
  name: 'author',
  category: 'categories',
  'dc:subject': 'categories',
  ...mediaFields,
}
const feedFields: Readonly<
  Record<string, 'title' | 'description' | 'link' | 'language' | 'author' | 'image'>
> = {
  title: 'title',
  description: 'description',
  subtitle: 'description',
  link: 'link',
  language: 'language',
  'itunes:author': 'author',
  name: 'author',
  logo: 'image',
  url: 'image',
}

/** An element whose text is being collected. */
interface Gathered {
  name: string
  depth: number
  /** Content type of the text. For `xhtml`, the elements inside are copied as markup. For `text`, the value
   *  contains no markup. */
  type: string
  text: string
  /** True for a `guid` that is a permalink. It is the URL of an RSS item without a link. */
  isLink: boolean
}

class FeedReader {
  readonly #feed: Feed = newFeed()
  readonly #parser = new SaxesParser()
  /** The prefix of Atom elements in this feed. */
  readonly #prefix: string
  readonly #open: string[] = []
  #entry: FeedEntry | null = null
  #gathered: Gathered | null = null
  #permalink = ''
  #isStopped = false
  #faults = 0

  constructor(prefix: string) {
    this.#prefix = prefix
    this.#parser.on('opentag', tag => this.#opened(tag))
    this.#parser.on('closetag', tag => this.#closed(tag))
    this.#parser.on('text', text => this.#read(text))
    this.#parser.on('cdata', text => this.#read(text.replaceAll('&amp;', '&')))
    this.#parser.on('error', () => {
      if (++this.#faults > maxFaults) this.#isStopped = true
    })
  }

  read(text: string): Feed {
    const xml = text.replace(/^\uFEFF/, '').replace(bareAmpersand, '&amp;')
    for (let from = 0; from < xml.length && !this.#isStopped; from += partLength)
      this.#parser.write(xml.slice(from, from + partLength))
    // At the end, the parser creates an error for each open element. A hostile feed has hundreds of thousands.
    if (!this.#isStopped) this.#parser.close()
    return this.#feed
  }

  #nameOf(tag: SaxesTagPlain): string {
    const name = tag.name.toLowerCase()
    if (name === 'atom:link') return 'link'
    return this.#prefix !== '' && name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name
  }

  #opened(tag: SaxesTagPlain): void {
    if (this.#isStopped) return
    const name = this.#nameOf(tag)
    const parent = this.#open.at(-1)
    if (this.#open.push(name) > maxNesting) this.#isStopped = true
    if (parent === undefined) this.#feed.language = tag.attributes['xml:lang'] ?? ''
    if (this.#gathered?.type === 'xhtml') this.#gathered.text += startTag(tag)
    else if (name === 'item' || name === 'entry') this.#entry = newEntry()
    else if (this.#entry) this.#openedInEntry(name, parent, tag.attributes)
    else this.#openedInFeed(name, parent, tag.attributes)
  }

  #openedInEntry(name: string, parent: string | undefined, attributes: Record<string, string>): void {
    if (name === 'enclosure' && attributes.url)
      this.#entry!.enclosures.push({
        url: attributes.url,
        type: attributes.type ?? '',
        bytes: attributes.length ?? '',
      })
    else if (name === 'link' && attributes.href) this.#takeAtomLink(attributes)
    else if (name === 'category' && attributes.term) this.#entry!.categories.push(attributes.term)
    else if (takeMedia(this.#entry!, name, attributes)) return
    else if (parent === 'item' || parent === 'entry' || isPart(name, parent)) this.#gather(name, attributes)
  }

  #openedInFeed(name: string, parent: string | undefined, attributes: Record<string, string>): void {
    if (parent === 'channel') takeFeedImage(this.#feed, name, attributes)
    const isOwn = parent === 'channel' || parent === 'feed'
    const isField = isOwn ? name !== 'url' && name !== 'name' : isPart(name, parent)
    if (!isField || !feedFields[name]) return
    const { rel = 'alternate', href } = attributes
    if (name !== 'link' || !href) this.#gather(name, attributes)
    else if (rel === 'alternate') this.#feed.link ||= href
    else if (rel === 'next') this.#feed.next ||= href
  }

  #takeAtomLink({ rel = 'alternate', href = '', type = '', length = '' }: Record<string, string>): void {
    if (rel === 'alternate') this.#entry!.link ||= href
    else if (rel === 'enclosure') this.#entry!.enclosures.push({ url: href, type, bytes: length })
  }

  #gather(name: string, attributes: Record<string, string>): void {
    const isAtom = this.#open.includes('feed')
    const named = attributes.type === 'plain' ? 'text' : attributes.type
    const type = named ?? (isAtom ? 'text' : 'html')
    const isLink = name === 'guid' && attributes.isPermaLink !== 'false'
    this.#gathered = { name, depth: this.#open.length, type, text: '', isLink }
  }

  #read(text: string): void {
    const gathered = this.#gathered
    if (gathered && !this.#isStopped) gathered.text += gathered.type === 'xhtml' ? escaped(text) : text
  }

  #closed(tag: SaxesTagPlain): void {
    if (this.#isStopped) return
    const name = this.#nameOf(tag)
    const depth = this.#open.length
    this.#open.pop()
    if (this.#gathered?.depth === depth) this.#take(this.#gathered)
    else if (this.#gathered?.type === 'xhtml') this.#gathered.text += `</${tag.name}>`
    else if (name === 'item' || name === 'entry') this.#endEntry()
  }

  #take({ name, type, text, isLink }: Gathered): void {
    this.#gathered = null
    const value = type === 'text' && isMarkup.has(name) ? escaped(text.trim()) : text.trim()
    const field = this.#entry ? entryFields[name] : feedFields[name]
    if (value === '' || field === undefined) return
    if (isLink && this.#entry && /^https?:\/\//i.test(value)) this.#permalink = value
    if (!this.#entry) this.#feed[field as 'title'] ||= value
    else if (field === 'categories')
      this.#entry.categories.push(...(name === 'media:keywords' ? value.split(',') : [value]))
    else this.#entry[field as 'title'] ||= value
  }

  #endEntry(): void {
    if (this.#entry) this.#feed.entries.push({ ...this.#entry, link: this.#entry.link || this.#permalink })
    this.#entry = null
    this.#permalink = ''
    if (this.#feed.entries.length >= maxEntries) this.#isStopped = true
  }
}

/** True for elements whose value is a field of the entry, not of the enclosing element: the name of an
 *  author, the URL of an image, the parts of a media group. */
const isPart = (name: string, parent: string | undefined): boolean =>
  (parent === 'author' && name === 'name') ||
  (parent === 'image' && name === 'url') ||
  ((parent === 'media:group' || parent === 'media:content') && name.startsWith('media:'))

/** Fields that are parsed as markup later. */
const isMarkup = new Set([
  ...['title', 'subtitle', 'summary', 'content', 'name', 'author', 'description'],
  ...['media:title', 'media:description', 'media:credit'],
])

/** Writes a start tag with only its URLs, titles and image descriptions. All other attributes are dropped. */
function startTag({ name, attributes }: SaxesTagPlain): string {
  const kept = ['href', 'src', 'alt', 'title']
    .filter(key => attributes[key] !== undefined)
    .map(key => ` ${key}="${escaped(attributes[key]!).replaceAll('"', '&quot;')}"`)
  return `<${name}${kept.join('')}>`
}
