// Steps that several modes share: opening raw text, closing a paragraph, and a second html or body tag.

import { hasAttributes } from '../attributes.ts'
import { none } from '../records.ts'
import { factsOf, is, tag } from '../tags.ts'
import type { TreeBuilder } from './tree-builder.ts'

/** Opens the element of the current tag. The following content is text up to its end tag. */
export function openRawText(builder: TreeBuilder): void {
  builder.openElement(builder.name)
  builder.rawText = builder.name
}

/** Adds void elements and raw text elements of the head. `noscript` and `template` have their own rules. */
export function addHeadContent(builder: TreeBuilder): void {
  if (factsOf(builder.name) & is.void) builder.appendElement(builder.name)
  else openRawText(builder)
}

export function closeParagraph(builder: TreeBuilder): void {
  const depth = builder.depthInScope(tag.p, tag.button)
  if (depth === none) return
  builder.closeImpliedEnds(tag.p)
  builder.closeFrom(depth)
}

/** Adds the attributes of a second html or body tag to the first one. */
export function mergeAttributes(builder: TreeBuilder): void {
  const { name, start, stop } = builder
  if (!hasAttributes(builder.source, start, stop) || builder.isOpen(tag.template)) return
  const depth = name === tag.html ? 1 : 2
  if (builder.openNames[depth] === name) builder.secondTags.push(builder.openNodes[depth]!, start, stop)
}

/** Marks the page as doubtful. Inside a template, parts of tables need no table, and this parser lacks the modes for
 *  that. */
export function doubtPartInTemplate(builder: TreeBuilder): void {
  if (builder.isOpen(tag.template)) builder.doubtful('part of a table in a template')
}
