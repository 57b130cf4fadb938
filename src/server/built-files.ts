// Files that were built for browsers: the dashboard, the API reference, the guide. Read on first use, sent compressed.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from './app.ts'
import { missingPage, missingPolicy } from './pages/dashboard-pages.ts'

/** The folder of built files. In a checkout it is below `dist/`. In the published package it is next to the folder of
 *  this code. */
export const builtFolder = (name: string): string =>
  join(import.meta.dirname, import.meta.url.endsWith('.ts') ? '../../dist' : '..', name)

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

interface BuiltFile {
  type: string
  bytes: Buffer
  gzipped: Buffer
  etag: string
}

/** Reads each file once and caches it. */
export class BuiltFiles {
  readonly #folder: string
  readonly #files = new Map<string, Promise<BuiltFile | null>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Reads a file, or returns null if it does not exist. A missing file is not cached, because it may be built later. */
  async file(name: string): Promise<BuiltFile | null> {
    const known = this.#files.get(name) ?? this.#read(name)
    this.#files.set(name, known)
    const file = await known
    if (!file) this.#files.delete(name)
    return file
  }

  async #read(name: string): Promise<BuiltFile | null> {
    const type = types[extname(name)]
    const forms = type ? ((await this.#plain(name)) ?? (await this.#compressed(name))) : null
    if (!type || !forms) return null
    const etag = `"${createHash('sha256').update(forms.bytes).digest('base64url').slice(0, 22)}"`
    return { type, ...forms, etag }
  }

  async #plain(name: string): Promise<Pick<BuiltFile, 'bytes' | 'gzipped'> | null> {
    const bytes = await readFile(join(this.#folder, name)).catch(() => null)
    return bytes && { bytes, gzipped: await promisify(gzip)(bytes) }
  }

  /** The published package contains large texts compressed, to save space. */
  async #compressed(name: string): Promise<Pick<BuiltFile, 'bytes' | 'gzipped'> | null> {
    const gzipped = await readFile(join(this.#folder, `${name}.gz`)).catch(() => null)
    return gzipped && { bytes: await promisify(gunzip)(gzipped), gzipped }
  }
}

/** The cache header for files whose name contains a hash of the content. */
export const forever = 'public, max-age=31536000, immutable'

/** Options of a route that needs no key and is not part of the API. */
export const openPage = { config: { scope: 'open' as const }, schema: { hide: true } as never }

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: BuiltFile,
  caching: string,
): FastifyReply {
  reply.headers({ 'cache-control': caching, etag: file.etag, vary: 'accept-encoding' })
  reply.headers({ 'referrer-policy': 'no-referrer' }).type(file.type)
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(file.bytes)
  return reply.header('content-encoding', 'gzip').send(file.gzipped)
}

/** Sends a page that says how to build the missing part. */
export const sendNotBuilt = (reply: FastifyReply, what: Parameters<typeof missingPage>[0]): FastifyReply =>
  reply
    .code(503)
    .header('content-security-policy', missingPolicy)
    .header('cache-control', 'no-store')
    .type(types['.html']!)
    .send(missingPage(what))
