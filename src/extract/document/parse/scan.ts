// Finds the ends of tags, comments and raw text. This part of the tokenizer reads every character.

import { type AttributeFilter, attributeHash } from '../attribute-filter.ts'
import { char, isLetter, isSpace } from '../characters.ts'
import { knownTag, lowerCaseName, nextHash } from '../tags.ts'

// Local constants are faster: the JavaScript engine inlines them, but not imported ones.
const { doubleQuote, equals, exclamation, greaterThan, lessThan, question, singleQuote, slash } = char

/** Classes of characters inside a tag. One table lookup replaces five comparisons. */
const ordinary = 0
const equalsSign = 1
const spacing = 2
const slashSign = 3
const tagEnd = 4
const pageEnd = 5
const roles = new Uint8Array(1 << 16)
for (const space of [char.tab, char.newline, char.formFeed, char.carriageReturn, char.space])
  roles[space] = spacing
roles[equals] = equalsSign
roles[slash] = slashSign
roles[greaterThan] = tagEnd
// A zero follows the last character of a page. Pages that contain zeroes themselves are parsed by parse5.
roles[0] = pageEnd

/** The result of scanning a tag. The object is reused for every tag. */
export interface TagScan {
  /** The number of the tag name; 0 for names that are not in HTML. */
  name: number
  nameStop: number
  selfClosing: boolean
  classAt: number
  idAt: number
  /** Position of the `href` value. 0 if the tag has no `href`, -1 if the `href` has no value. */
  hrefAt: number
  hasRel: boolean
  isStyled: boolean
  isDescribed: boolean
  /** Names of the attributes of all tags so far. */
  readonly attributeNames: AttributeFilter
  /** True if a tag so far may have a `class` or `id` without a value. */
  hasBareNames: boolean
}

/** Position of the next `<` that starts markup, or the length of the page. A call of `indexOf` is expensive, so it is
 *  used only if no `<` is near. */
export function nextMarkup(text: string, codes: Uint16Array, from: number): number {
  const { length } = text
  const near = Math.min(from + 32, length)
  let at = from
  while (at < near && codes[at] !== lessThan) at++
  if (at < near && beginsMarkup(codes, length, at)) return at
  return at === length ? length : farMarkup(text, codes, at)
}

function farMarkup(text: string, codes: Uint16Array, from: number): number {
  for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at + 1)) {
    if (beginsMarkup(codes, text.length, at)) return at
  }
  return text.length
}

function beginsMarkup(codes: Uint16Array, length: number, at: number): boolean {
  const next = codes[at + 1]!
  if (next === slash) return at + 2 < length
  return isLetter(next) || next === exclamation || next === question
}

/** Parses the tag whose name starts at `from`. Returns the next position, or -1 at the end of the page (the tag is then
 *  ignored). */
export function scanTag(codes: Uint16Array, length: number, from: number, found: TagScan): number {
  let hash = 0
  let at = from
  for (let code = codes[at]!; !endsTagName(code); code = codes[++at]!) hash = nextHash(hash, code)
  found.name = knownTag(codes, from, at, hash)
  found.nameStop = at
  return scanAttributes(codes, length, at, found)
}

/** Parses the attributes from the end of the tag's name. Returns the position after `>`, or -1 if the page ends first. */
export function scanAttributes(codes: Uint16Array, length: number, from: number, found: TagScan): number {
  found.selfClosing = false
  found.classAt = 0
  found.idAt = 0
  found.hrefAt = 0
  found.hasRel = false
  found.isStyled = false
  found.isDescribed = false
  let at = from
  while (at < length) {
    const role = roles[codes[at]!]
    if (role === tagEnd) return at + 1
    if (role === spacing) at++
    else if (role === slashSign) found.selfClosing = codes[++at] === greaterThan
    else at = scanAttribute(codes, length, at, found)
  }
  return -1
}

/** Scans one attribute. Returns the next position, which is `length` or more at the end of the page. */
function scanAttribute(codes: Uint16Array, length: number, nameStart: number, found: TagScan): number {
  // The first character always belongs to the name, even `=`.
  let at = nameStart + 1
  while (roles[codes[at]!] === ordinary) at++
  const nameLength = at - nameStart
  const middle = codes[nameStart + (nameLength >> 1)]!
  const hash = attributeHash(codes[nameStart]!, middle, codes[at - 1]!, nameLength)
  found.attributeNames[hash >> 5]! |= 1 << (hash & 31)
  while (isSpace(codes[at]!)) at++
  if (codes[at] !== equals) {
    noteAttribute(codes, nameStart, nameLength, -1, found)
    return at
  }
  at++
  while (isSpace(codes[at]!)) at++
  const code = codes[at]!
  if (code === greaterThan) {
    found.hasBareNames = true
    return at
  }
  const isQuoted = code === doubleQuote || code === singleQuote
  if (isQuoted) at++
  noteAttribute(codes, nameStart, nameLength, at, found)
  return isQuoted ? quotedEnd(codes, length, at, code) : unquotedEnd(codes, length, at)
}

function quotedEnd(codes: Uint16Array, length: number, from: number, quote: number): number {
  let at = from
  while (at < length && codes[at] !== quote) at++
  return at + 1
}

function unquotedEnd(codes: Uint16Array, length: number, from: number): number {
  for (let at = from; at < length; at++) {
    const code = codes[at]!
    if (code === greaterThan || isSpace(code)) return at
  }
  return length
}

/** Records the positions of `class`, `id` and `href`, and whether the tag has other attributes that readers often need.
 *  If a name occurs twice, the first one counts. `valueAt` is -1 if there is no value. */
function noteAttribute(
  codes: Uint16Array,
  start: number,
  length: number,
  valueAt: number,
  found: TagScan,
): void {
  switch (codes[start]! | 32) {
    case c:
      if (found.classAt === 0 && isNamed(codes, start, length, classCodes)) {
        if (valueAt === -1) found.hasBareNames = true
        else found.classAt = valueAt
      }
      break
    case h:
      if (found.hrefAt === 0 && isNamed(codes, start, length, hrefCodes)) found.hrefAt = valueAt
      else if (isNamed(codes, start, length, hiddenCodes)) found.isStyled = true
      break
    case i:
      if (found.idAt === 0 && isNamed(codes, start, length, idCodes)) {
        if (valueAt === -1) found.hasBareNames = true
        else found.idAt = valueAt
      } else if (isNamed(codes, start, length, itempropCodes) || isNamed(codes, start, length, itemtypeCodes))
        found.isDescribed = true
      break
    case r:
      if (isNamed(codes, start, length, relCodes)) found.hasRel = true
      else if (isNamed(codes, start, length, roleCodes)) found.isDescribed = true
      break
    case s:
      if (isNamed(codes, start, length, styleCodes)) found.isStyled = true
      break
    case a:
      if (isNamed(codes, start, length, ariaHiddenCodes)) found.isStyled = true
  }
}

const [a, c, h, i, r, s] = [97, 99, 104, 105, 114, 115]
const classCodes = codesOf('class')
const hrefCodes = codesOf('href')
const idCodes = codesOf('id')
const relCodes = codesOf('rel')
const roleCodes = codesOf('role')
const itempropCodes = codesOf('itemprop')
const itemtypeCodes = codesOf('itemtype')
const styleCodes = codesOf('style')
const hiddenCodes = codesOf('hidden')
const ariaHiddenCodes = codesOf('aria-hidden')

function codesOf(name: string): number[] {
  return Array.from(name, letter => letter.charCodeAt(0))
}

/** Whether the name at `start` consists of these letters, ignoring case. */
function isNamed(codes: Uint16Array, start: number, length: number, letters: number[]): boolean {
  if (length !== letters.length) return false
  for (let index = 0; index < length; index++) {
    if ((codes[start + index]! | 32) !== letters[index]) return false
  }
  return true
}

/** If the end tag at `nameStart` has the name of the start tag at `start` and nothing else, returns the
 *  position after it. Otherwise returns -1. */
export function stopOfSameName(codes: Uint16Array, start: number, nameStart: number): number {
  if (start === -1) return -1
  let first = start + 1
  let second = nameStart
  while (!endsTagName(codes[second]!)) {
    if (codes[first++] !== codes[second++]) return -1
  }
  return codes[second] === greaterThan && endsTagName(codes[first]!) ? second + 1 : -1
}

interface CommentScan {
  /** Start and end of the comment's text. */
  start: number
  stop: number
  /** Position after the comment. */
  next: number
}

/** Scans the comment at `at`. It ends at `-->` or `--!>`, or at the end of the page. */
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

/** End of the comment's text if the page ends before the comment does. An incomplete end marker is not part
 *  of the text. */
function unclosedCommentStop(source: string, start: number): number {
  const tail = ['--!', '--', '-'].find(
    ending => source.endsWith(ending) && source.length - ending.length >= start,
  )
  return source.length - (tail?.length ?? 0)
}

/** Scans a bogus comment (`<?xml …>`, `<!foo>`, `</ x>`), which ends at the next `>`. */
export function scanBogusComment(source: string, start: number): CommentScan {
  const stop = source.indexOf('>', start)
  if (stop === -1) return { start, stop: source.length, next: source.length }
  return { start, stop, next: stop + 1 }
}

/** Position of the end tag that closes a raw text element with this name, or the length of the page. */
export function rawTextStop(text: string, codes: Uint16Array, from: number, name: string): number {
  const { length } = text
  for (let at = text.indexOf('</', from); at !== -1; at = text.indexOf('</', at + 2)) {
    const nameStop = at + 2 + name.length
    if (nameStop >= length) break
    if (endsTagName(codes[nameStop]!) && lowerCaseName(text.slice(at + 2, nameStop)) === name) return at
  }
  return length
}

function endsTagName(code: number): boolean {
  return roles[code]! >= spacing
}
