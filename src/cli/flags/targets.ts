// The URLs that a command is given: refused at once when they are none, with the one that was probably meant.
import { existsSync } from 'node:fs'
import { Failure } from '../../model/failures.ts'

export function checkTargets(texts: readonly string[]): void {
  for (const text of texts) {
    const problem = problemOf(text)
    if (problem) throw new Failure('input.invalid', problem, { url: text })
  }
}

function problemOf(text: string): string | null {
  if (/^https?:\/\//i.test(text))
    return URL.canParse(text) ? null : `"${text}" is not a valid URL; write it like https://example.com/path`
  const other = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]
  if (other) return `"${text}" is ${other}, and only http and https are fetched`
  if (existsSync(text)) return `"${text}" is a file; \`kscrape run ${text}\` runs the list in it`
  const scheme = /^(localhost|\d+(\.\d+){3}|\[)/i.test(text) ? 'http' : 'https'
  const meant = looksLikeHost(text) ? URL.parse(`${scheme}://${text}`) : null
  if (meant)
    return `"${text}" has no scheme; did you mean ${text.includes('/') ? `${scheme}://${text}` : meant.href} ?`
  return `"${text}" is no URL; write it like https://example.com/`
}

/** `example.com`, `example.com/path`, `127.0.0.1:8080`, `localhost`: a host, perhaps a port, perhaps a path. */
export const looksLikeHost = (text: string): boolean =>
  /^(localhost|[^\s/:?#@]+\.[^\s/:?#@.]+|\[[0-9a-f:.]+\])(:\d{1,5})?([/?#]\S*)?$/i.test(text)
