// Reads attributes out of a start tag, when asked for them.

import { decodeHTMLAttribute } from 'entities'
import { char, isSpace } from './characters.ts'
import { scanAttributeName, valueStop } from './scan.ts'
import { asciiLower, lowerCaseName } from './tags.ts'

/** The value of the attribute of that (lower-case) name in the start tag at `start`–`stop`, or null. */
export function readAttribute(markup: string, start: number, stop: number, name: string): string | null {
  let at = firstAttribute(markup, start, stop)
  while (at !== -1) {
    const nameStop = scanAttributeName(markup, at)
    const valueAt = valueStart(markup, nameStop)
    if (isNamed(markup, at, nameStop, name)) return readValue(markup, valueAt)
    at = nextAttribute(markup, nameStop, valueAt, stop)
  }
  return null
}

/** All attributes in order. Of two with one name the first counts. */
export function readAttributes(markup: string, start: number, stop: number): Array<[string, string]> {
  const values = new Map<string, string>()
  let at = firstAttribute(markup, start, stop)
  while (at !== -1) {
    const nameStop = scanAttributeName(markup, at)
    const valueAt = valueStart(markup, nameStop)
    const name = lowerCaseName(markup.slice(at, nameStop))
    if (!values.has(name)) values.set(name, readValue(markup, valueAt))
    at = nextAttribute(markup, nameStop, valueAt, stop)
  }
  return [...values]
}

/** The value that starts there; an attribute without one (-1) has the empty value. */
export function readValue(markup: string, valueAt: number): string {
  if (valueAt === -1) return ''
  const value = markup.slice(valueAt, valueStop(markup, valueAt))
  const lines = value.includes('\r') ? value.replace(/\r\n?/g, '\n') : value
  return lines.includes('&') ? decodeHTMLAttribute(lines) : lines
}

/** Elements the page only implies have an empty place in the markup. */
function firstAttribute(markup: string, start: number, stop: number): number {
  let at = start
  while (at < stop) {
    const code = markup.charCodeAt(at)
    if (isSpace(code) || code === char.slash || code === char.greaterThan) break
    at++
  }
  return nextName(markup, at, stop)
}

function nextAttribute(markup: string, nameStop: number, valueAt: number, stop: number): number {
  if (valueAt === -1) {
    const at = skipSpaces(markup, nameStop)
    // `<a href=>`: a value was announced, and the tag ended.
    return markup.charCodeAt(at) === char.equals ? -1 : nextName(markup, at, stop)
  }
  const isQuoted = isQuote(markup.charCodeAt(valueAt - 1))
  return nextName(markup, valueStop(markup, valueAt) + (isQuoted ? 1 : 0), stop)
}

function nextName(markup: string, from: number, stop: number): number {
  let at = from
  while (at < stop && (isSpace(markup.charCodeAt(at)) || markup.charCodeAt(at) === char.slash)) at++
  return at >= stop || markup.charCodeAt(at) === char.greaterThan ? -1 : at
}

/** Where the value behind a name starts (behind its quote), or -1 when the name has no value. */
function valueStart(markup: string, nameStop: number): number {
  let at = skipSpaces(markup, nameStop)
  if (markup.charCodeAt(at) !== char.equals) return -1
  at = skipSpaces(markup, at + 1)
  const code = markup.charCodeAt(at)
  if (code === char.greaterThan) return -1
  return isQuote(code) ? at + 1 : at
}

function skipSpaces(markup: string, from: number): number {
  let at = from
  while (isSpace(markup.charCodeAt(at))) at++
  return at
}

function isQuote(code: number): boolean {
  return code === char.doubleQuote || code === char.singleQuote
}

function isNamed(markup: string, start: number, stop: number, name: string): boolean {
  if (stop - start !== name.length) return false
  for (let index = 0; index < name.length; index++) {
    if (asciiLower(markup.charCodeAt(start + index)) !== name.charCodeAt(index)) return false
  }
  return true
}
