// The fast parser. It needs one pass, and creates no object per node. It reports a doubt if the tree may be wrong.

import { char, isLetter } from '../characters.ts'
import { flag, kind, type ParsedRecords } from '../records.ts'
import { factsOf, is, tag } from '../tags.ts'
import { endAfterBody, endInBody, startAfterBody } from './body-end-rules.ts'
import { startInBody } from './body-start-rules.ts'
import { endInForeign, startInForeign } from './foreign-rules.ts'
import * as head from './head-rules.ts'
import { done, mode, type Rule } from './modes.ts'
import { modeBehind, modeInside, takesRule } from './plain-tags.ts'
import { quirksOf } from './quirks.ts'
import {
  nextMarkup,
  rawTextStop,
  scanAttributes,
  scanBogusComment,
  scanComment,
  scanTag,
  stopOfSameName,
} from './scan.ts'
import { scriptStop } from './script-text.ts'
import { endInSelect, startInSelect } from './select-rules.ts'
import * as table from './table-rules.ts'
import { addText, doubtSpaceReference } from './text-rules.ts'
import { TreeBuilder } from './tree-builder.ts'

// A local constant is faster here; `scan.ts` explains why.
const paragraph = tag.p

export interface FlatParse extends ParsedRecords {
  /** Why the tree may differ from the HTML standard; null if it does not. */
  doubt: string | null
}

/** Rules by mode, in the order of `mode`. */
const startRules: Rule[] = [
  head.startInitial,
  head.startBeforeHtml,
  head.startBeforeHead,
  head.startInHead,
  head.startInHeadNoscript,
  head.startAfterHead,
  startInBody,
  table.startInTable,
  table.startInCaption,
  table.startInColumnGroup,
  table.startInTableBody,
  table.startInRow,
  table.startInCell,
  startInSelect,
  startInSelect,
  startAfterBody,
  startAfterBody,
]

const endRules: Rule[] = [
  head.endInitial,
  head.endBeforeHead,
  head.endBeforeHead,
  head.endInHead,
  head.endInHeadNoscript,
  head.endAfterHead,
  endInBody,
  table.endInTable,
  table.endInCaption,
  table.endInColumnGroup,
  table.endInTableBody,
  table.endInRow,
  table.endInCell,
  endInSelect,
  endInSelect,
  endAfterBody,
  endAfterBody,
]

/** Parses the page. With `stopAtDoubt`, stops at the first doubt. With `repairs`, parses more pages correctly, but more
 *  slowly. */
export function parseFlat(source: string, stopAtDoubt: boolean, repairs = false): FlatParse {
  const builder = new TreeBuilder(source, repairs)
  addPage(builder, stopAtDoubt)
  finishPage(builder)
  return { ...builder.finish(), doubt: builder.doubt }
}

function addPage(builder: TreeBuilder, stopAtDoubt: boolean): void {
  const { source, codes, length } = builder
  let at = 0
  while (at < length && (builder.doubt === null || !stopAtDoubt)) {
    const markup = nextMarkup(source, codes, at)
    if (markup > at) addText(builder, at, markup)
    at = markup < length ? addMarkup(builder, markup) : length
  }
}

/** Adds the tag, comment or declaration at `at`. Returns the next position. */
function addMarkup(builder: TreeBuilder, at: number): number {
  const next = builder.codes[at + 1]
  if (next === char.slash) return addEndTag(builder, at)
  if (next === char.exclamation) return addDeclaration(builder, at)
  if (next === char.question) return addComment(builder, scanBogusComment(builder.source, at + 1))
  return addStartTag(builder, at)
}

function addStartTag(builder: TreeBuilder, at: number): number {
  const stop = readTag(builder, at, at + 1)
  if (stop === -1) return builder.source.length
  return openPlainly(builder) ? stop : startByRule(builder, stop)
}

function startByRule(builder: TreeBuilder, stop: number): number {
  if (builder.isCurrentForeign()) startInForeign(builder)
  else applyRules(startRules, builder)
  if (builder.rawText !== 0) return addRawText(builder, stop)
  return builder.skipsNewline ? skipNewline(builder, stop) : stop
}

/** Handles a start tag that only opens an element, which is the most common case. Returns false if the tag
 *  needs a rule. */
function openPlainly(builder: TreeBuilder): boolean {
  const { name } = builder
  const next = modeInside(builder.mode, name, builder.isOpen(paragraph))
  if (next === takesRule || builder.repairs !== null || builder.isCurrentForeign() || builder.doubt !== null)
    return false
  builder.openElement(name)
  builder.mode = next
  return true
}

/** Parses the tag at `at` into the builder. Returns the end of the tag, or -1 at the end of the page. */
function readTag(builder: TreeBuilder, at: number, nameStart: number): number {
  const stop = scanTag(builder.codes, builder.length, nameStart, builder)
  if (stop === -1) return -1
  if (builder.name === 0) builder.name = builder.ownName(nameStart, builder.nameStop)
  builder.start = at
  builder.stop = stop
  return stop
}

function addEndTag(builder: TreeBuilder, at: number): number {
  const closed = closeCurrent(builder, at + 2)
  return closed === -1 ? endByRule(builder, at) : closed
}

function endByRule(builder: TreeBuilder, at: number): number {
  const source = builder.source
  const first = builder.codes[at + 2]!
  if (first === char.greaterThan) {
    if (builder.repairs?.isInTableStructure()) builder.doubtful('</> in a table, outside its cells')
    return at + 3
  }
  if (!isLetter(first)) return addComment(builder, scanBogusComment(source, at + 2))
  const stop = readTag(builder, at, at + 2)
  if (stop === -1) return source.length
  if (builder.isCurrentForeign()) endInForeign(builder)
  else applyRules(endRules, builder)
  return stop
}

/** Handles an end tag that closes the current element, which is the most common case. Returns the next
 *  position, or -1 if the tag needs a rule. */
function closeCurrent(builder: TreeBuilder, nameStart: number): number {
  const next = modeBehind(builder.mode, builder.currentName)
  if (next === takesRule || builder.repairs !== null) return -1
  const stop = stopOfSameName(builder.codes, builder.startOfCurrent(), nameStart)
  if (stop === -1) return -1
  builder.pop()
  builder.mode = next
  return stop
}

/** Applies rules until one has handled the tag. Normally a tag passes only a few modes. The limit stops endless loops
 *  on doubtful pages. */
function applyRules(rules: Rule[], builder: TreeBuilder): void {
  for (let rounds = 0; rounds < 16; rounds++) {
    if (rules[builder.mode]!(builder) === done) return
  }
}

/** Adds everything up to the end tag as text, then closes the element. */
function addRawText(builder: TreeBuilder, from: number): number {
  const source = builder.source
  const name = builder.rawText
  builder.rawText = 0
  const start = builder.skipsNewline ? skipNewline(builder, from) : from
  const stop = rawTextEnd(builder, name, start)
  builder.appendText(start, stop, factsOf(name) & is.rawText ? flag.raw : 0)
  builder.pop()
  if (stop === source.length) return stop
  const { codes, length } = builder
  const next = scanAttributes(codes, length, stop + 2 + builder.nameText(name).length, builder)
  return next === -1 ? source.length : next
}

function rawTextEnd(builder: TreeBuilder, name: number, start: number): number {
  const { source, codes } = builder
  if (name === tag.plaintext) return source.length
  const stop = rawTextStop(source, codes, start, builder.nameText(name))
  return name === tag.script ? scriptStop(source, start, stop) : stop
}

function skipNewline(builder: TreeBuilder, at: number): number {
  const source = builder.source
  builder.skipsNewline = false
  const code = source.charCodeAt(at)
  if (code === char.newline) return at + 1
  if (code === char.carriageReturn) return source.charCodeAt(at + 1) === char.newline ? at + 2 : at + 1
  doubtSpaceReference(builder, at)
  if (source.startsWith('</>', at)) builder.doubtful('</> where a newline is skipped')
  return at
}

function addDeclaration(builder: TreeBuilder, at: number): number {
  const source = builder.source
  if (source.startsWith('--', at + 2)) return addComment(builder, scanComment(source, at))
  if (isDoctype(source, at + 2)) return addDoctype(builder, at + 9)
  if (source.startsWith('[CDATA[', at + 2) && builder.isCurrentForeign())
    builder.doubtful('CDATA in svg or math')
  return addComment(builder, scanBogusComment(source, at + 2))
}

function isDoctype(source: string, at: number): boolean {
  return (source.charCodeAt(at) | 32) === 100 && source.slice(at, at + 7).toLowerCase() === 'doctype'
}

/** A doctype counts only at the start of the page. It decides whether the page is parsed in quirks mode. */
function addDoctype(builder: TreeBuilder, start: number): number {
  const { stop, next } = scanBogusComment(builder.source, start)
  if (builder.mode !== mode.initial) return next
  builder.quirks = quirksOf(builder.source.slice(start, stop))
  builder.append(kind.doctype, start, stop)
  builder.mode = mode.beforeHtml
  return next
}

function addComment(builder: TreeBuilder, comment: { start: number; stop: number; next: number }): number {
  if (builder.mode === mode.afterBody) builder.htmlComments.push(comment.start, comment.stop)
  else if (builder.mode === mode.afterAfterBody) builder.documentComments.push(comment.start, comment.stop)
  else builder.append(kind.comment, comment.start, comment.stop)
  return comment.next
}

/** Adds the elements that the standard requires if they are missing: html, head and body. */
function finishPage(builder: TreeBuilder): void {
  while (builder.mode < mode.inBody) head.implyNext(builder, builder.source.length)
  while (builder.depth > 1) builder.pop()
  appendComments(builder, builder.htmlComments)
  builder.pop()
  appendComments(builder, builder.documentComments)
}

function appendComments(builder: TreeBuilder, ranges: number[]): void {
  for (let index = 0; index < ranges.length; index += 2) {
    builder.append(kind.comment, ranges[index]!, ranges[index + 1]!)
  }
}
