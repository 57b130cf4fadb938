// Finds where tags, comments and raw text end: the tokenizer's part that runs over every character.

import { char, isLetter, isSpace } from './characters.ts'
import type { CodeUnits } from './code-units.ts'
import { asciiLower } from './tags.ts'

// Names of this module's own: the engine takes them for the constants they are, which it does not with imported ones.
const { doubleQuote, equals, exclamation, greaterThan, lessThan, question, singleQuote, slash } = char

/** What the scan of a tag found; one object is filled again and again. */
export interface TagScan {
  selfClosing: boolean
  hasAttributes: boolean
  classAt: number
  idAt: number
}

/** The next `<` that begins markup (a tag, a comment, a declaration), or the length of the page.
 *  The engine's own search is faster per character but dear to call: it is for long stretches. */
export function nextMarkup(units: CodeUnits, from: number): number {
  const { codes, length } = units
  const near = Math.min(from + 32, length)
  for (let at = from; at < near; at++) {
    if (codes[at] === lessThan && beginsMarkup(codes, length, at)) return at
  }
  return near === length ? length : farMarkup(units, near)
}

function farMarkup({ text, codes, length }: CodeUnits, from: number): number {
  for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at + 1)) {
    if (beginsMarkup(codes, length, at)) return at
  }
  return length
}

function beginsMarkup(codes: Uint16Array, length: number, at: number): boolean {
  if (at + 1 >= length) return false
  const next = codes[at + 1]!
  if (next === slash) return at + 2 < length
  return isLetter(next) || next === exclamation || next === question
}

/** Runs from the end of a tag's name to behind its `>`; -1 when the page ends first (the tag then counts for nothing). */
export function scanTag(units: CodeUnits, from: number, found: TagScan): number {
  const { codes, length } = units
  found.selfClosing = false
  found.hasAttributes = false
  found.classAt = 0
  found.idAt = 0
  let at = from
  while (at < length) {
    const code = codes[at]!
    if (code === greaterThan) return at + 1
    if (isSpace(code)) at++
    else if (code === slash) {
      at++
      if (at < length && codes[at] === greaterThan) {
        found.selfClosing = true
        return at + 1
      }
    } else {
      at = scanAttribute(units, at, found)
      if (at === -1) return -1
    }
  }
  return -1
}

/** Runs over one attribute and returns where the next thing starts, or -1 at the end of the page. */
function scanAttribute({ codes, length }: CodeUnits, nameStart: number, found: TagScan): number {
  found.hasAttributes = true
  const nameStop = nameEnd(codes, length, nameStart)
  let at = nameStop
  while (at < length && isSpace(codes[at]!)) at++
  if (at >= length) return -1
  if (codes[at] !== equals) return at
  at++
  while (at < length && isSpace(codes[at]!)) at++
  if (at >= length) return -1
  const code = codes[at]!
  if (code === greaterThan) return at
  const isQuoted = code === doubleQuote || code === singleQuote
  if (isQuoted) at++
  noteClassOrId(codes, nameStart, nameStop, at, found)
  return isQuoted ? quotedEnd(codes, length, at, code) : unquotedEnd(codes, length, at)
}

/** The first character belongs to the name whatever it is, even `=`. */
function nameEnd(codes: Uint16Array, length: number, nameStart: number): number {
  let at = nameStart + 1
  while (at < length) {
    const code = codes[at]!
    if (code === equals || code === greaterThan || code === slash || isSpace(code)) break
    at++
  }
  return at
}

function quotedEnd(codes: Uint16Array, length: number, from: number, quote: number): number {
  for (let at = from; at < length; at++) {
    if (codes[at] === quote) return at + 1
  }
  return -1
}

function unquotedEnd(codes: Uint16Array, length: number, from: number): number {
  for (let at = from; at < length; at++) {
    const code = codes[at]!
    if (code === greaterThan || isSpace(code)) return at
  }
  return -1
}

/** The two attributes selectors ask for most are found again without reading the tag. The first of a name counts. */
function noteClassOrId(
  codes: Uint16Array,
  start: number,
  stop: number,
  valueAt: number,
  found: TagScan,
): void {
  const length = stop - start
  if (length === 5 && found.classAt === 0 && isName(codes, start, 'class')) found.classAt = valueAt
  else if (length === 2 && found.idAt === 0 && isName(codes, start, 'id')) found.idAt = valueAt
}

export function isName(codes: Uint16Array, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (asciiLower(codes[start + index]!) !== name.charCodeAt(index)) return false
  }
  return true
}

/** Where the end tag whose name starts at `nameStart` stops if it is nothing but the name of the start tag at `start`
 *  and `>`; else -1. */
export function stopOfSameName({ codes, length }: CodeUnits, start: number, nameStart: number): number {
  if (start === -1) return -1
  let first = start + 1
  let second = nameStart
  while (second < length && !endsTagName(codes[second]!)) {
    if (codes[first++] !== codes[second++]) return -1
  }
  return codes[second] === greaterThan && endsTagName(codes[first]!) ? second + 1 : -1
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
  if (source.startsWith('>', start)) return { start, stop: start, next: start + 1 }
  if (source.startsWith('->', start)) return { start, stop: start, next: start + 2 }
  for (let dashes = source.indexOf('--', start); dashes !== -1; dashes = source.indexOf('--', dashes + 1)) {
    if (source.startsWith('>', dashes + 2)) return { start, stop: dashes, next: dashes + 3 }
    if (source.startsWith('!>', dashes + 2)) return { start, stop: dashes, next: dashes + 4 }
  }
  return { start, stop: unclosedCommentStop(source, start), next: source.length }
}

/** What looks like the beginning of the comment's end is left out. */
function unclosedCommentStop(source: string, start: number): number {
  const tail = ['--!', '--', '-'].find(
    ending => source.endsWith(ending) && source.length - ending.length >= start,
  )
  return source.length - (tail?.length ?? 0)
}

/** What HTML takes for a comment though it is none (`<?xml …>`, `<!foo>`, `</ x>`): up to the next `>`. */
export function scanBogusComment(source: string, start: number): CommentScan {
  const stop = source.indexOf('>', start)
  if (stop === -1) return { start, stop: source.length, next: source.length }
  return { start, stop, next: stop + 1 }
}

/** The `</` of the end tag that closes raw text of this name, or the length of the page. */
export function rawTextStop({ codes, length }: CodeUnits, from: number, name: string): number {
  for (let at = from; at + 2 + name.length < length; at++) {
    if (codes[at] !== lessThan || codes[at + 1] !== slash) continue
    if (isName(codes, at + 2, name) && endsTagName(codes[at + 2 + name.length]!)) return at
  }
  return length
}

export function endsTagName(code: number): boolean {
  return code === greaterThan || code === slash || isSpace(code)
}
