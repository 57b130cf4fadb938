// The URLs that a command is given: refused at once when they are none, with the one that was probably meant.
import { existsSync } from 'node:fs'
import { Failure } from '../model/failures.ts'

export function checkTargets(texts: readonly string[]): void {
  for (const text of texts) {
    const problem = problemOf(text)
    if (problem) throw new Failure('input.invalid', problem, { url: text })
  }
}

function problemOf(text: string): string | null {
  if (/^https?:\/\//i.test(text))
    return URL.canParse(text) ? null : `"${text}" is not a valid URL; write it like https://example.com/path`
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]
  if (scheme) return `"${text}" is ${scheme}, and only http and https are fetched`
  if (existsSync(text)) return `"${text}" is a file; \`kscrape run ${text}\` runs the list in it`
  return `"${text}" is no URL${meantInstead(text)}; write it like https://example.com/`
}

function meantInstead(text: string): string {
  const url = looksLikeHost(text) ? URL.parse(`https://${text}`) : null
  return url
    ? ` (did you mean https://${text}${url.pathname === '/' && !text.endsWith('/') ? '/' : ''} ?)`
    : ''
}

/** `example.com`, `example.com/path`, `127.0.0.1:8080`, `localhost`: a host, perhaps a port, perhaps a path. */
export const looksLikeHost = (text: string): boolean =>
  /^(localhost|[^\s/:?#@]+\.[^\s/:?#@.]+|\[[0-9a-f:.]+\])(:\d{1,5})?([/?#]\S*)?$/i.test(text)
