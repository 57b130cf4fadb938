// Steps several modes share: opening raw text, closing a paragraph, a second html or body tag.

import { hasAttributes } from '../attributes.ts'
import { none } from '../records.ts'
import { factsOf, is, tag } from '../tags.ts'
import type { TreeBuilder } from './tree-builder.ts'

/** Opens the element of the tag at hand; the parser then takes what follows as text up to its end tag. */
export function openRawText(builder: TreeBuilder): void {
  builder.openElement(builder.name)
  builder.rawText = builder.name
}

/** Adds what may stand in the head: void elements and raw text. `noscript` and `template` have rules of their own. */
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

/** A second html or body tag adds its attributes to the first, which records cannot show. */
export function mergeAttributes(builder: TreeBuilder): void {
  if (hasAttributes(builder.source, builder.start, builder.stop))
    builder.doubtful(`second <${builder.nameText(builder.name)}> with attributes`)
}

/** In a template, parts of tables need no table around them; there the standard has modes we do not. */
export function doubtPartInTemplate(builder: TreeBuilder): void {
  if (builder.isOpen(tag.template)) builder.doubtful('part of a table in a template')
}
