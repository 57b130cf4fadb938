// The single-page app of the comparison: a bundle, a stylesheet, images, a font, and one JSON call per page.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'

const cards = 40
const images = 6

export interface Fields {
  title: string
  price: string
  sku: string
}

/** The fields that a page shows after its script has run. */
export const fieldsOf = (n: number): Fields => ({
  title: `Thing number ${n}`,
  price: `${(n * 7) % 900}.50`,
  sku: `SKU-${String(n).padStart(5, '0')}`,
})

/** The same three fields in rendered markup. Every contender uses these patterns. */
export const fieldPatterns = {
  title: /<h1 id="done">([^<]*)<\/h1>/.source,
  price: /<b class="price">([^<]*)<\/b>/.source,
  sku: /data-sku="([^"]*)"/.source,
}

export class AppSite implements AsyncDisposable {
  readonly origin: string
  readonly #server: Server
  /** The number of page requests since the last `forget`. */
  pages = 0

  static async start(): Promise<AppSite> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new AppSite(server)
  }

  private constructor(server: Server) {
    this.#server = server
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.keepAliveTimeout = 120_000
    server.on('request', (request, response) => {
      const answer = this.#answer(new URL(request.url!, this.origin).pathname)
      response.writeHead(answer === null ? 404 : 200, {
        'content-type': answer?.type ?? 'text/plain',
        'cache-control': answer?.isLasting ? 'public, max-age=3600' : 'no-store',
      })
      response.end(answer?.body)
    })
  }

  #answer(path: string): Answer | null {
    const asset = assets.get(path)
    if (asset !== undefined) return asset
    const page = /^\/app\/(\d+)$/.exec(path)
    if (page !== null) this.pages++
    if (page !== null) return { type: 'text/html; charset=utf-8', body: shell, isLasting: false }
    const item = /^\/api\/items\/(\d+)$/.exec(path)
    return item === null
      ? null
      : { type: 'application/json', body: itemJson(Number(item[1])), isLasting: false }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

interface Answer {
  type: string
  body: string | Buffer
  isLasting: boolean
}

const shell = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<link rel="stylesheet" href="/app.css"></head><body><div id="root"></div><script src="/bundle.js"></script></body></html>`

function itemJson(n: number): string {
  const related = Array.from({ length: cards }, (_, at) => ({
    name: `Related thing ${n + at}`,
    image: `/image/${at % images}.png`,
    text: 'Made of wood, wool and patience. '.repeat(3),
  }))
  return JSON.stringify({ ...fieldsOf(n), related })
}

/** A script of about 170 KB of which only a little runs, as in most bundles. */
function bundle(): string {
  const library = Array.from({ length: 900 }, (_, n) => {
    return `library.part${n} = function (value) { var total = ${n}; for (var i = 0; i < value.length; i++) { total = (total * 31 + value.charCodeAt(i)) | 0 } return { name: 'part${n}', total: total } };`
  })
  const app = `
function element(name, properties, children) {
  const node = document.createElement(name)
  for (const key in properties) node.setAttribute(key, properties[key])
  for (const child of children) node.append(child)
  return node
}
async function show() {
  const number = location.pathname.split('/').pop()
  for (const key in library) library[key](location.href)
  const item = await (await fetch('/api/items/' + number)).json()
  const related = item.related.map(each => element('article', { class: 'card' }, [
    element('img', { src: each.image, alt: '' }, []),
    element('h2', {}, [each.name]),
    element('p', {}, [each.text]),
  ]))
  document.title = item.title
  const price = element('b', { class: 'price' }, [item.price])
  document.querySelector('#root').append(
    element('main', { 'data-sku': item.sku }, [element('section', { class: 'grid' }, related), price, element('h1', { id: 'done' }, [item.title])]),
  )
}
show()`
  return `(() => { const library = {};\n${library.join('\n')}\n${app}\n})()`
}

const stylesheet = [
  "@font-face { font-family: Shop; src: url('/font.ttf') }",
  'body { font-family: Shop, sans-serif; margin: 0 } .grid { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1rem }',
  '.card { border: 1px solid #ccc; border-radius: 8px; padding: 1rem; box-shadow: 0 2px 4px #0003 } .card img { width: 100% }',
  ...Array.from(
    { length: 400 },
    (_, n) => `.unused-${n} { color: #${(n * 4_095).toString(16).padStart(6, '0').slice(-6)} }`,
  ),
].join('\n')

/** A real image of noise, so that it must be decoded. */
function picture(seed: number): Buffer {
  const [width, height] = [160, 120]
  const rows = Buffer.alloc(height * (1 + width * 3))
  let state = seed + 1
  for (let at = 0; at < rows.length; at++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    rows[at] = at % (1 + width * 3) === 0 ? 0 : (state >> 16) & 0x3f
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(checksum(body))
  return Buffer.concat([length, body, sum])
}

function checksum(data: Buffer): number {
  let sum = ~0
  for (const byte of data) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}

/** A font of Debian if installed, else random bytes that the browser loads and discards. */
function font(): Buffer {
  try {
    return readFileSync('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf')
  } catch {
    return Buffer.alloc(60_000, 1)
  }
}

const lasting = (type: string, body: string | Buffer): Answer => ({ type, body, isLasting: true })

const assets = new Map<string, Answer>([
  ['/bundle.js', lasting('text/javascript; charset=utf-8', bundle())],
  ['/app.css', lasting('text/css', stylesheet)],
  ['/font.ttf', lasting('font/ttf', font())],
  ...Array.from({ length: images }, (_, n) => [`/image/${n}.png`, lasting('image/png', picture(n))] as const),
])
