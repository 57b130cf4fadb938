// Steps several modes share: opening raw text, closing a paragraph, a second html or body tag.

import { hasAttributes } from '../attributes.ts'
import { none } from '../records.ts'
import { factsOf, is, tag } from '../tags.ts'
import type { TreeBuilder } from './tree-builder.ts'

/** Opens the element of the current tag; the following content is text up to its end tag. */
export function openRawText(builder: TreeBuilder): void {
  builder.openElement(builder.name)
  builder.rawText = builder.name
}

/** Adds elements of the head: void elements and raw text. `noscript` and `template` have their own rules. */
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

/** A second html or body tag adds its attributes to the first. */
export function mergeAttributes(builder: TreeBuilder): void {
  const { name, start, stop } = builder
  if (!hasAttributes(builder.source, start, stop) || builder.isOpen(tag.template)) return
  const depth = name === tag.html ? 1 : 2
  if (builder.openNames[depth] === name) builder.secondTags.push(builder.openNodes[depth]!, start, stop)
}

/** In a template, parts of tables need no table. The standard has modes for this that we lack. */
export function doubtPartInTemplate(builder: TreeBuilder): void {
  if (builder.isOpen(tag.template)) builder.doubtful('part of a table in a template')
}
