// Downloads: what came from a website is handed over as a file, never as a page of ours.
import type { FastifyReply } from 'fastify'

/** Nothing in it runs, and nothing shows it but as a file. Headers only; the body is the caller's to send. */
export function asDownload(reply: FastifyReply, fileName: string, type: string): FastifyReply {
  const isMarkup = /html|xml|svg|javascript/i.test(type)
  return reply
    .type(isMarkup ? 'text/plain; charset=utf-8' : type)
    .header('content-disposition', `attachment; filename="${fileName.replace(/[^\w.-]/g, '_')}"`)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "sandbox; default-src 'none'; frame-ancestors 'none'")
    .header('cache-control', 'private, no-store')
}
