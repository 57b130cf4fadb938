// Serves content of websites as a download, never as a page of this origin.
import type { FastifyReply } from 'fastify'

/** Sets headers so that browsers save the file and run nothing in it. The caller of this function sends the body. */
export function asDownload(reply: FastifyReply, fileName: string, type: string): FastifyReply {
  const isMarkup = /html|xml|svg|javascript/i.test(type)
  return reply
    .type(isMarkup ? 'text/plain; charset=utf-8' : type)
    .header('content-disposition', `attachment; filename="${fileName.replace(/[^\w.-]/g, '_')}"`)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "sandbox; default-src 'none'; frame-ancestors 'none'")
    .header('cache-control', 'private, no-store')
}
