// Sends a request unchanged, because `fetch` would refuse or correct invalid parts.
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { patienceMs } from './eventually.ts'

export interface RawRequest {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: Buffer
}

export interface RawAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

export function sendRaw(
  base: string,
  { method = 'POST', path, headers = {}, body }: RawRequest,
): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  const length = body && body.length > 0 ? { 'content-length': String(body.length) } : {}
  const asked = request(
    new URL(base),
    { method, path, headers: { ...length, ...headers }, timeout: patienceMs },
    response => {
      const { statusCode, headers } = response
      text(response).then(all => resolve({ status: statusCode!, headers, text: all }), reject)
    },
  )
  asked.on('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer`)))
  asked.on('error', reject)
  asked.end(body)
  return promise
}
