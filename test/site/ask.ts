// A simple HTTP client for tests of the test site. It follows no redirects, decodes nothing, and returns what it received.
import { type IncomingHttpHeaders, request } from 'node:http'

export interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** Stops reading after this many bytes. */
  maxBytes?: number
}

export interface Told {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
}

/** Rejects if the response is truncated or is not HTTP. */
export function ask(
  url: string,
  { method = 'GET', headers = {}, body, maxBytes = Number.POSITIVE_INFINITY }: Asked = {},
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, response => {
      const chunks: Buffer[] = []
      const tell = () => {
        const bytes = Buffer.concat(chunks)
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          text: bytes.toString(),
        })
      }
      response.on('data', chunk => {
        chunks.push(chunk)
        maxBytes -= chunk.length
        if (maxBytes > 0) return
        tell()
        sent.destroy()
      })
      response.on('end', tell)
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
