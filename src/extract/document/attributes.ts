// Parses the attributes of a start tag on demand.

import { decodeHTMLAttribute } from 'entities'
import { char, isSpace } from './characters.ts'
import { asciiLower, lowerCaseName } from './tags.ts'

// Local constants are faster here; `scan.ts` explains why.
const { ampersand, carriageReturn, doubleQuote, equals, greaterThan, singleQuote, slash } = char

/** The value of an attribute in the start tag from `start` to `stop`; null if it is missing. `name` is in lower case. */
export function readAttribute(markup: string, start: number, stop: number, name: string): string | null {
  const at = findAttribute(markup, start, stop, name)
  return at === -1 ? null : readValue(markup, valueStart(markup, at + name.length))
}

/** Position of the first attribute with this name in the start tag; -1 if it is missing. `name` is in lower case. */
export function findAttribute(markup: string, start: number, stop: number, name: string): number {
  let at = firstAttribute(markup, start, stop)
  while (at !== -1) {
    const nameStop = nameStopFrom(markup, at)
    if (isNamed(markup, at, nameStop, name)) return at
    const valueAt = valueStart(markup, nameStop)
    at = nextAttribute(markup, nameStop, valueAt, valueStop(markup, valueAt), stop)
  }
  return -1
}

/** All attributes in order. If a name occurs twice, its first value counts. */
export function readAttributes(markup: string, start: number, stop: number): Array<[string, string]> {
  const values = new Map<string, string>()
  let at = firstAttribute(markup, start, stop)
  while (at !== -1) {
    const nameStop = nameStopFrom(markup, at)
    const valueAt = valueStart(markup, nameStop)
    const valueEnd = valueStop(markup, valueAt)
    const name = lowerCaseName(markup.slice(at, nameStop))
    if (!values.has(name)) values.set(name, readValue(markup, valueAt, valueEnd))
    at = nextAttribute(markup, nameStop, valueAt, valueEnd, stop)
  }
  return [...values]
}

/** The attribute value that starts at this position. Empty if there is no value (-1). */
export function readValue(markup: string, start: number, stop = valueStop(markup, start)): string {
  if (start === -1) return ''
  const value = markup.slice(start, stop)
  return isPlain(markup, start, stop) ? value : decodeHTMLAttribute(value.replace(/\r\n?/g, '\n'))
}

/** True if the value contains no character references and no carriage returns. */
export function isPlain(markup: string, start: number, stop: number): boolean {
  for (let at = start; at < stop; at++) {
    const code = markup.charCodeAt(at)
    if (code === ampersand || code === carriageReturn) return false
  }
  return true
}

export function hasAttributes(markup: string, start: number, stop: number): boolean {
  return firstAttribute(markup, start, stop) !== -1
}

/** Position of the first attribute name; -1 if there is none. An implied element has an empty range, because the page
 *  does not contain its tag. */
function firstAttribute(markup: string, start: number, stop: number): number {
  let at = start
  while (at < stop) {
    const code = markup.charCodeAt(at)
    if (isSpace(code) || code === slash || code === greaterThan) break
    at++
  }
  return nextName(markup, at, stop)
}

function nextAttribute(
  markup: string,
  nameStop: number,
  valueAt: number,
  valueEnd: number,
  stop: number,
): number {
  if (valueAt === -1) {
    const at = skipSpaces(markup, nameStop)
    // The tag ends after the equals sign, as in `<a href=>`.
    return markup.charCodeAt(at) === equals ? -1 : nextName(markup, at, stop)
  }
  return nextName(markup, isQuote(markup.charCodeAt(valueAt - 1)) ? valueEnd + 1 : valueEnd, stop)
}

function nextName(markup: string, from: number, stop: number): number {
  let at = from
  while (at < stop && (isSpace(markup.charCodeAt(at)) || markup.charCodeAt(at) === slash)) at++
  return at >= stop || markup.charCodeAt(at) === greaterThan ? -1 : at
}

/** Start of the value that follows an attribute name, after the opening quote. -1 if there is no value. */
function valueStart(markup: string, nameStop: number): number {
  let at = skipSpaces(markup, nameStop)
  if (markup.charCodeAt(at) !== equals) return -1
  at = skipSpaces(markup, at + 1)
  const code = markup.charCodeAt(at)
  if (code === greaterThan) return -1
  return isQuote(code) ? at + 1 : at
}

function skipSpaces(markup: string, from: number): number {
  let at = from
  while (isSpace(markup.charCodeAt(at))) at++
  return at
}

function isQuote(code: number): boolean {
  return code === doubleQuote || code === singleQuote
}

/** Whether the text from `start` to `stop` equals the name, ignoring case. `name` is in lower case. */
function isNamed(markup: string, start: number, stop: number, name: string): boolean {
  if (stop - start !== name.length) return false
  for (let index = 0; index < name.length; index++) {
    if (asciiLower(markup.charCodeAt(start + index)) !== name.charCodeAt(index)) return false
  }
  return true
}

/** End of the attribute name. Its first character always belongs to it, even `=`. */
function nameStopFrom(markup: string, nameStart: number): number {
  let at = nameStart + 1
  for (; at < markup.length; at++) {
    const code = markup.charCodeAt(at)
    if (code === equals || code === greaterThan || code === slash || isSpace(code)) break
  }
  return at
}

/** End of the value that starts at `from`: the closing quote, or a space or `>` if it is not quoted. -1 if `from` is
 *  -1. */
export function valueStop(markup: string, from: number): number {
  if (from === -1) return -1
  const before = markup.charCodeAt(from - 1)
  if (before === doubleQuote) return markup.indexOf('"', from)
  if (before === singleQuote) return markup.indexOf("'", from)
  let at = from
  while (markup.charCodeAt(at) !== greaterThan && !isSpace(markup.charCodeAt(at))) at++
  return at
}
