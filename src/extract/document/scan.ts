// Finds where tags, comments and raw text end: the tokenizer's part that runs over every character.

import { char, isLetter, isSpace } from './characters.ts'
import { asciiLower } from './tags.ts'

/** What the scan of a tag found; one object is filled again and again. */
export interface TagScan {
  selfClosing: boolean
  hasAttributes: boolean
  classAt: number
  idAt: number
}

/** The next `<` that begins markup (a tag, a comment, a declaration), or the length of the source. */
export function nextMarkup(source: string, from: number): number {
  const length = source.length
  let at = nextLessThan(source, from)
  while (at < length && !beginsMarkup(source, at)) at = nextLessThan(source, at + 1)
  return at
}

/** Short stretches are quicker by hand, long ones by the engine's own search. */
function nextLessThan(source: string, from: number): number {
  const length = source.length
  const nearby = Math.min(from + 48, length)
  for (let at = from; at < nearby; at++) {
    if (source.charCodeAt(at) === char.lessThan) return at
  }
  if (nearby === length) return length
  const far = source.indexOf('<', nearby)
  return far === -1 ? length : far
}

function beginsMarkup(source: string, at: number): boolean {
  if (at + 1 >= source.length) return false
  const next = source.charCodeAt(at + 1)
  if (next === char.slash) return at + 2 < source.length
  return isLetter(next) || next === char.exclamation || next === char.question
}

/** Runs from the end of a tag's name to behind its `>`; -1 when the page ends first (the tag then counts for nothing). */
export function scanTag(source: string, from: number, found: TagScan): number {
  const length = source.length
  found.selfClosing = false
  found.hasAttributes = false
  found.classAt = 0
  found.idAt = 0
  let at = from
  while (at < length) {
    const code = source.charCodeAt(at)
    if (code === char.greaterThan) return at + 1
    if (isSpace(code)) at++
    else if (code === char.slash) {
      at++
      if (at < length && source.charCodeAt(at) === char.greaterThan) {
        found.selfClosing = true
        return at + 1
      }
    } else {
      at = scanAttribute(source, at, found)
      if (at === -1) return -1
    }
  }
  return -1
}

/** Runs over one attribute and returns where the next thing starts, or -1 at the end of the page. */
function scanAttribute(source: string, nameStart: number, found: TagScan): number {
  const length = source.length
  found.hasAttributes = true
  const nameStop = scanAttributeName(source, nameStart)
  let at = nameStop
  while (at < length && isSpace(source.charCodeAt(at))) at++
  if (at >= length) return -1
  if (source.charCodeAt(at) !== char.equals) return at
  at++
  while (at < length && isSpace(source.charCodeAt(at))) at++
  if (at >= length) return -1
  const code = source.charCodeAt(at)
  if (code === char.greaterThan) return at
  const isQuoted = code === char.doubleQuote || code === char.singleQuote
  if (isQuoted) at++
  noteClassOrId(source, nameStart, nameStop, at, found)
  return isQuoted ? scanQuoted(source, at, code) : scanUnquoted(source, at)
}

/** The first character belongs to the name whatever it is, even `=`. */
export function scanAttributeName(source: string, nameStart: number): number {
  const length = source.length
  let at = nameStart + 1
  while (at < length) {
    const code = source.charCodeAt(at)
    if (code === char.equals || code === char.greaterThan || code === char.slash || isSpace(code)) break
    at++
  }
  return at
}

function scanQuoted(source: string, from: number, quote: number): number {
  const stop = source.indexOf(quote === char.doubleQuote ? '"' : "'", from)
  return stop === -1 ? -1 : stop + 1
}

function scanUnquoted(source: string, from: number): number {
  const length = source.length
  let at = from
  while (at < length) {
    const code = source.charCodeAt(at)
    if (code === char.greaterThan || isSpace(code)) return at
    at++
  }
  return -1
}

/** The two attributes selectors ask for most are found again without reading the tag. The first of a name counts. */
function noteClassOrId(source: string, start: number, stop: number, valueAt: number, found: TagScan): void {
  const length = stop - start
  if (length === 5 && found.classAt === 0 && isName(source, start, 'class')) found.classAt = valueAt
  else if (length === 2 && found.idAt === 0 && isName(source, start, 'id')) found.idAt = valueAt
}

function isName(source: string, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (asciiLower(source.charCodeAt(start + index)) !== name.charCodeAt(index)) return false
  }
  return true
}

/** Where the value that starts at `from` ends: at its quote, or at a space or `>` when it has none. */
export function valueStop(source: string, from: number): number {
  const before = source.charCodeAt(from - 1)
  if (before === char.doubleQuote || before === char.singleQuote) return scanQuoted(source, from, before) - 1
  return scanUnquoted(source, from)
}

export interface CommentScan {
  /** Where the comment's text starts and stops. */
  start: number
  stop: number
  /** Where the page goes on. */
  next: number
}

/** A comment whose `<!--` is at `at`. It ends at `-->` or `--!>`, or with the page. */
export function scanComment(source: string, at: number): CommentScan {
  const start = at + 4
  if (source.charCodeAt(start) === char.greaterThan) return { start, stop: start, next: start + 1 }
  if (source.startsWith('->', start)) return { start, stop: start, next: start + 2 }
  for (let dashes = source.indexOf('--', start); dashes !== -1; dashes = source.indexOf('--', dashes + 1)) {
    if (source.charCodeAt(dashes + 2) === char.greaterThan) return { start, stop: dashes, next: dashes + 3 }
    if (source.startsWith('!>', dashes + 2)) return { start, stop: dashes, next: dashes + 4 }
  }
  const length = source.length
  for (const tail of ['--!', '--', '-']) {
    if (source.endsWith(tail) && length - tail.length >= start) {
      return { start, stop: length - tail.length, next: length }
    }
  }
  return { start, stop: length, next: length }
}

/** What HTML takes for a comment though it is none (`<?xml …>`, `<!foo>`, `</ x>`): up to the next `>`. */
export function scanBogusComment(source: string, start: number): CommentScan {
  const stop = source.indexOf('>', start)
  if (stop === -1) return { start, stop: source.length, next: source.length }
  return { start, stop, next: stop + 1 }
}

/** The `</` of the end tag that closes raw text of this name, or the length of the source. */
export function rawTextStop(source: string, from: number, name: string): number {
  const length = source.length
  for (let at = source.indexOf('</', from); at !== -1; at = source.indexOf('</', at + 2)) {
    const after = at + 2 + name.length
    if (after < length && isName(source, at + 2, name) && endsTagName(source.charCodeAt(after))) return at
  }
  return length
}

function endsTagName(code: number): boolean {
  return code === char.greaterThan || code === char.slash || isSpace(code)
}
