// The URLs of a command. A missing scheme is added; text that is not a URL is refused with the reason.
import { existsSync } from 'node:fs'
import { Failure } from '../../model/failures.ts'
import { safe } from '../talk.ts'

/** Adds a missing scheme and reports it on stderr. */
export function targetsOf(texts: readonly string[], { json = false }: { json?: boolean } = {}): string[] {
  return texts.map(text => {
    const meant = withScheme(text)
    if (meant === null) throw new Failure('input.invalid', problemOf(text), { url: text })
    if (meant !== text) note(`${safe(text)} has no scheme; using ${meant}`, json)
    return meant
  })
}

const note = (message: string, json: boolean): boolean =>
  process.stderr.write(json ? `${JSON.stringify({ level: 'info', message })}\n` : `kscrape: ${message}\n`)

/** Adds a missing scheme: http for loopback and IP addresses, which rarely have certificates, and https for other names. The name
 *  of an existing file is not a host. */
function withScheme(text: string): string | null {
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? text : null
  if (!looksLikeHost(text) || existsSync(text)) return null
  const scheme = /^(localhost|\d+(\.\d+){3}|\[)/i.test(text) ? 'http' : 'https'
  return URL.parse(`${scheme}://${text}`)?.href ?? null
}

function problemOf(text: string): string {
  if (/^https?:\/\//i.test(text))
    return `"${text}" is not a valid URL; write it like https://example.com/path`
  const other = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]
  if (other) return `"${text}" is ${other}, and only http and https are fetched`
  if (existsSync(text)) return `"${text}" is a file; \`kscrape run ${text}\` runs the list in it`
  return `"${text}" is not a URL; write it like https://example.com/`
}

/** Whether the text is a host with an optional port and path: `example.com`, `example.com/path`, `127.0.0.1:8080`,
 *  `localhost`. */
export const looksLikeHost = (text: string): boolean =>
  /^(localhost|[^\s/:?#@]+\.[^\s/:?#@.]+|\[[0-9a-f:.]+\])(:\d{1,5})?([/?#]\S*)?$/i.test(text)
