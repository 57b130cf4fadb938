// The dashboard at `/`: prebuilt files, with a policy that runs and loads nothing else.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Failure } from '../model/failures.ts'
import type { App, FastifyReply, FastifyRequest } from './app.ts'
import { missingPage, missingPolicy, pickerPage, pickerPolicy } from './dashboard-pages.ts'

/** In a checkout, `dist/dashboard`; in the published package, beside this code. */
const builtFolder = (): string =>
  join(import.meta.dirname, import.meta.url.endsWith('.ts') ? '../../dist/dashboard' : '../dashboard')

/** Trusted types close all script sinks, so that page markup can never become script. */
const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' blob:`,
  `connect-src 'self'`,
  `frame-src 'self'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ')

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

interface BuiltFile {
  type: string
  bytes: Buffer
  gzipped: Buffer
  etag: string
}

/** Each file is read once. All names except the page's contain a hash. */
class BuiltFiles {
  readonly #folder: string
  readonly #files = new Map<string, Promise<BuiltFile | null>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Null if the file does not exist. Not cached then, because it may be built later. */
  async file(name: string): Promise<BuiltFile | null> {
    const known = this.#files.get(name) ?? this.#read(name)
    this.#files.set(name, known)
    const file = await known
    if (!file) this.#files.delete(name)
    return file
  }

  async #read(name: string): Promise<BuiltFile | null> {
    const type = types[extname(name)]
    const bytes = type ? await readFile(join(this.#folder, name)).catch(() => null) : null
    if (!type || !bytes) return null
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
    return { type, bytes, gzipped: await promisify(gzip)(bytes), etag }
  }
}

const open = { config: { scope: 'open' as const }, schema: { hide: true } as never }
const forever = 'public, max-age=31536000, immutable'

export function addDashboard(app: App, folder = builtFolder()): void {
  const files = new BuiltFiles(folder)
  app.get('/', open, async (request, reply) => {
    const page = await files.file('index.html')
    if (!page) return notBuilt(reply)
    return send(request, reply.header('content-security-policy', policy), page, 'no-cache')
  })
  app.get('/assets/:name', open, async (request, reply) => {
    const { name } = request.params as { name: string }
    const file = /^[\w.-]+$/.test(name) ? await files.file(join('assets', name)) : null
    if (!file)
      throw new Failure('route.unknown', `there is no file /assets/${name.slice(0, 200)}; / is the dashboard`)
    return send(request, reply, file, forever)
  })
  app.get('/picker', open, async (_request, reply) => {
    const script = await files.file('picker.js')
    if (!script) return notBuilt(reply)
    const text = script.bytes.toString().trim()
    return reply
      .header('content-security-policy', pickerPolicy(text))
      .header('x-frame-options', 'SAMEORIGIN')
      .header('cache-control', 'no-cache')
      .type(types['.html']!)
      .send(pickerPage(text))
  })
}

function send(request: FastifyRequest, reply: FastifyReply, file: BuiltFile, caching: string): FastifyReply {
  reply.headers({ 'cache-control': caching, etag: file.etag, vary: 'accept-encoding' })
  reply.headers({ 'referrer-policy': 'no-referrer' }).type(file.type)
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(file.bytes)
  return reply.header('content-encoding', 'gzip').send(file.gzipped)
}

const notBuilt = (reply: FastifyReply): FastifyReply =>
  reply
    .code(503)
    .header('content-security-policy', missingPolicy)
    .header('cache-control', 'no-store')
    .type(types['.html']!)
    .send(missingPage)
