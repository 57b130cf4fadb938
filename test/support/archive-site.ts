// A site with many kinds of pages, for archives. For each kind, the replay needs a different feature to look the same.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, crc32, deflateSync, gzipSync } from 'node:zlib'

export interface ArchiveFile {
  type: string
  body: Buffer
  encoding?: 'gzip' | 'br'
  status?: number
  headers?: Record<string, string>
}

type Respond = (request: IncomingMessage, sent: Buffer) => ArchiveFile

/** A PNG with one colour. */
export function picture(width: number, height: number, [red, green, blue]: [number, number, number]): Buffer {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([red, green, blue]))])
  const chunk = (name: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
  return Buffer.concat([magic, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

const html = (title: string, body: string, head = ''): ArchiveFile => ({
  type: 'text/html; charset=utf-8',
  body: Buffer.from(
    `<!doctype html><html><head><title>${title}</title><link rel="stylesheet" href="/site.css">${head}</head><body><h1>${title}</h1>${body}</body></html>`,
  ),
})
const css = (text: string): ArchiveFile => ({ type: 'text/css', body: Buffer.from(text) })
const script = (text: string): ArchiveFile => ({ type: 'text/javascript', body: Buffer.from(text) })
const json = (value: unknown): ArchiveFile => ({
  type: 'application/json',
  body: Buffer.from(JSON.stringify(value)),
})
const png = (...colour: [number, number, number]): ArchiveFile => ({
  type: 'image/png',
  body: picture(300, 200, colour),
})
const redirect = (location: string, status = 302): ArchiveFile => ({
  ...{ type: 'text/plain', body: Buffer.from('moved'), status, headers: { location } },
})
const svg = (fill: string): ArchiveFile => ({
  type: 'image/svg+xml',
  body: Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10" width="200" height="200"><rect id="box" width="10" height="10" fill="${fill}"/></svg>`,
  ),
})

const fill = (text: string) => `document.querySelector('#out').insertAdjacentHTML('beforeend', ${text})`
const box = (colour: string) => `<div style="background:${colour};width:600px;height:200px">${colour}</div>`
const out = '<div id="out"></div>'

/** The pages in `archiveKinds`, and their resources. */
const files = (elsewhere: string): Record<string, ArchiveFile | Respond> => ({
  '/site.css': css('body { font: 20px/1.4 sans-serif; margin: 30px; background: #eef } h1 { color: #124 }'),
  '/plain': html('Plain', '<p>Only text and a style sheet.</p>'),
  '/images': html('Images', '<img src="/red.png"><img src="/green.png?size=2" width="300" height="200">'),
  // Chromium prefers an image of higher density that is already in its memory cache, so these images must not appear elsewhere on
  // the page.
  '/picture': html(
    'Picture',
    '<picture><source srcset="/blue.png 1x, /green.png?dense 2x"><img src="/green.png"></picture><img srcset="/red.png 300w, /green.png?wide 900w" sizes="300px">',
  ),
  '/background': html(
    'Background',
    '<div class="b"></div>',
    '<link rel="stylesheet" href="/css/deep/bg.css">',
  ),
  '/css/deep/bg.css': css(
    '@import "../more.css"; .b { width: 600px; height: 300px; background: url(../../blue.png) }',
  ),
  '/css/more.css': css('h1 { background: url("/red.png"); padding: 40px }'),
  '/script': html('Script', out, '<script src="/build.js" defer></script>'),
  '/build.js': script(fill(`'${box('tomato')}'`)),
  '/json': html('Data', out, '<script src="/load.js" defer></script>'),
  '/load.js': script(
    `fetch('/api/items?page=1').then(r => r.json()).then(({ items }) => ${fill("items.map(({ colour }) => '<div style=\"height:150px;background:' + colour + '\">' + colour + '</div>').join('')")})`,
  ),
  '/api/items': json({ items: [{ colour: 'gold' }, { colour: 'teal' }] }),
  '/post-json': html(
    'Post of JSON',
    `${out}<script>fetch('/api/search', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ q: 'shoes', page: 2 }) }).then(r => r.text()).then(t => ${fill('t')})</script>`,
  ),
  '/api/search': (_request, sent) => ({
    type: 'text/html',
    body: Buffer.from(`${box('purple')}<p>${sent.toString().replace(/"/g, '')}</p>`),
  }),
  '/post-form': html(
    'Post of a form',
    `${out}<script>const x = new XMLHttpRequest(); x.open('POST', '/api/form'); x.setRequestHeader('content-type', 'application/x-www-form-urlencoded'); x.onload = () => ${fill('x.responseText')}; x.send('colour=olive&n=3')</script>`,
  ),
  '/api/form': (_request, sent) => ({
    type: 'text/html',
    body: Buffer.from(`${box(new URLSearchParams(sent.toString()).get('colour') ?? 'black')}`),
  }),
  '/redirect': redirect('/redirect/2', 301),
  '/redirect/2': redirect('/landed'),
  '/landed': html('Landed', box('navy')),
  '/moved-image': html('Moved image', '<img src="/moved.png" width="300" height="200">'),
  '/moved.png': redirect('/green.png?moved'),
  '/latin': {
    type: 'text/html; charset=iso-8859-1',
    body: Buffer.from(
      '<!doctype html><title>Caf\xe9</title><link rel=stylesheet href=/site.css><h1>Caf\xe9 \xe0 la carte</h1><p>na\xefve \xfcber \xf1</p>',
      'latin1',
    ),
  },
  '/sjis': {
    type: 'text/html',
    body: Buffer.concat([
      Buffer.from('<!doctype html><meta charset=shift_jis><title>'),
      Buffer.from('93fa967b8cea', 'hex'),
      Buffer.from('</title><body style="background: #acd"><h1>'),
      Buffer.from('93fa967b8cea', 'hex'),
      Buffer.from('</h1>'),
    ]),
  },
  '/compressed': { ...html('Compressed', `${box('coral')}<p>${'words '.repeat(400)}</p>`), encoding: 'br' },
  '/frame': html('Frame', '<iframe src="/framed" width="600" height="300"></iframe>'),
  '/framed': html('Inside', '<img src="/red.png">'),
  '/far-frame': html('Far frame', `<iframe src="${elsewhere}/framed" width="600" height="300"></iframe>`),
  '/far-image': html('Far image', `<img src="${elsewhere}/blue.png">`),
  '/modules': html('Modules', out, '<script type="module" src="/m/main.js"></script>'),
  '/m/main.js': script(
    `import { colour } from './colour.js'; const { box } = await import('/m/box.js'); ${fill('box(colour)')}`,
  ),
  '/m/colour.js': script("export const colour = 'crimson'"),
  '/m/box.js': script(
    'export const box = c => `<div style="background:${c};width:600px;height:200px">${c}</div>`',
  ),
  '/worker': html('Worker', `${out}<script src="/use-worker.js"></script>`),
  '/use-worker.js': script(
    `const w = new Worker('/work.js'); w.onmessage = ({ data }) => ${fill(`'<div style="height:200px;background:' + data + '"></div>'`)}`,
  ),
  '/work.js': script(
    "importScripts('/work-part.js'); fetch('/api/items').then(r => r.json()).then(({ items }) => postMessage(pick(items)))",
  ),
  '/work-part.js': script('const pick = items => items[1].colour'),
  '/push-state': html(
    'State',
    `${box('sienna')}<script>history.pushState(null, '', '/never/requested')</script>`,
  ),
  '/svg': html(
    'Sprite',
    '<img src="/logo.svg"><svg width="200" height="200" viewBox="0 0 10 10"><use href="/logo.svg#box"/></svg>',
  ),
  '/canvas': html(
    'Canvas',
    '<canvas width="600" height="300"></canvas><script>const i = new Image(); i.onload = () => document.querySelector("canvas").getContext("2d").drawImage(i, 0, 0, 600, 300); i.src = "/blue.png"</script>',
  ),
  '/component': html(
    'Component',
    '<my-card></my-card><script>customElements.define("my-card", class extends HTMLElement { connectedCallback() { const r = this.attachShadow({ mode: "open" }); r.innerHTML = `<style>div { height: 200px; background: url(/green.png) }</style><div>card</div>` } })</script>',
  ),
  '/lazy': html('Lazy', '<img loading="lazy" src="/red.png" width="300" height="200">'),
  '/wide': html('漢字 und Ünïcödé', '<p>Ελληνικά, עברית, русский</p>'),
  '/red.png': png(200, 30, 30),
  '/green.png': png(20, 160, 60),
  '/blue.png': png(30, 60, 200),
  '/logo.svg': svg('orange'),
  '/bom.css': { type: 'text/css', body: Buffer.from('\ufeffp { color: green } /* ü */') },
})

/** Every kind of page that a replay must show unchanged. */
export const archiveKinds = [
  ...['plain', 'images', 'picture', 'background', 'script', 'json', 'post-json', 'post-form', 'redirect'],
  ...['moved-image', 'latin', 'sjis', 'compressed', 'frame', 'far-frame', 'far-image', 'modules', 'worker'],
  ...['push-state', 'svg', 'canvas', 'component', 'lazy', 'wide'],
]

export class ArchiveSite implements AsyncDisposable {
  readonly files: Record<string, ArchiveFile | Respond>
  readonly requests: string[] = []
  readonly #servers: Server[]

  private constructor(servers: Server[], files: Record<string, ArchiveFile | Respond>) {
    this.#servers = servers
    this.files = files
  }

  /** Two servers, because the same address with another port is another host. */
  static async open(further: Record<string, ArchiveFile> = {}): Promise<ArchiveSite> {
    const servers = [createServer(), createServer()]
    for (const server of servers) await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const site = new ArchiveSite(servers, { ...files(`http://${placeOf(servers[1]!)}`), ...further })
    for (const server of servers) server.on('request', (request, response) => site.#answer(request, response))
    return site
  }

  get places(): string[] {
    return this.#servers.map(placeOf)
  }

  get url(): string {
    return `http://${this.places[0]}`
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      this.requests.push(`${request.method} ${request.url}`)
      const found = this.files[new URL(request.url ?? '/', this.url).pathname]
      const file = typeof found === 'function' ? found(request, Buffer.concat(chunks)) : found
      if (!file) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('not here')
      const { type, body, encoding, status = 200, headers = {} } = file
      response.writeHead(status, {
        'content-type': type,
        ...(encoding && { 'content-encoding': encoding }),
        'access-control-allow-origin': '*',
        ...headers,
      })
      response.end(encoding === 'br' ? brotliCompressSync(body) : encoding === 'gzip' ? gzipSync(body) : body)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    }
  }
}

function placeOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo
  return `${address}:${port}`
}
