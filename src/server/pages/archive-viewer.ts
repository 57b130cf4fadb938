// Serves a web archive with the replayweb.page viewer that the user has installed. Only this machine can connect.
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import Fastify, { type FastifyReply } from 'fastify'
import { foreignIn } from '../demo-guard.ts'

interface ViewerOptions {
  /** The archive: a `.wacz` or `.warc.gz` file. */
  file: string
  /** Folder of the package `replaywebpage`. */
  viewer: string
  port: number
}

export interface OpenViewer extends AsyncDisposable {
  /** The URL that opens the archive in the viewer. */
  url: string
}

/** The files of the viewer that a browser loads. Other files in its folder are not served. */
const viewerFiles = /^(index\.html|ui\.js|sw\.js|adblock\/adblock\.gz|ruffle\/[\w.-]+)$/

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
}

export async function openViewer({ file, viewer, port }: ViewerOptions): Promise<OpenViewer> {
  const archive = `/archive/${encodeURIComponent(basename(file))}`
  const app = Fastify()
  // A website whose name resolves to this machine must not read the archive.
  app.addHook('onRequest', async ({ headers }, reply) => {
    const foreign = foreignIn(headers)
    if (foreign !== null) return reply.code(403).send('open the viewer by the address that kscrape printed')
  })
  app.get(archive, (request, reply) => sendRange(reply, file, request.headers.range))
  app.get('/*', async (request, reply) => {
    const path = (request.params as { '*': string })['*'] || 'index.html'
    if (!viewerFiles.test(path)) return reply.code(404).send(`the viewer has no file ${path}`)
    const bytes = await readFile(join(viewer, path)).catch(() => null)
    if (!bytes) return reply.code(404).send(`the viewer has no file ${path}`)
    return reply.type(types[extname(path)] ?? 'application/octet-stream').send(bytes)
  })
  const at = await app.listen({ host: '127.0.0.1', port })
  return {
    url: `${at}/?source=${encodeURIComponent(`${at}${archive}`)}`,
    [Symbol.asyncDispose]: async () => {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/** Sends a byte range, because the viewer reads an archive in ranges: `bytes=0-99`, `bytes=100-` or `bytes=-100`. */
async function sendRange(
  reply: FastifyReply,
  file: string,
  range: string | undefined,
): Promise<FastifyReply> {
  const { size } = await stat(file)
  reply.header('accept-ranges', 'bytes').type('application/octet-stream')
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (first === '' && last === '') return reply.header('content-length', size).send(createReadStream(file))
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start > end) return reply.code(416).header('content-range', `bytes */${size}`).send()
  return reply
    .code(206)
    .header('content-range', `bytes ${start}-${end}/${size}`)
    .header('content-length', end - start + 1)
    .send(createReadStream(file, { start, end }))
}
