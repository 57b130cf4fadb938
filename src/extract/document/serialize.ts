// Writes a subtree as HTML, by the serialization rules of the HTML standard.

import { escapeAttribute, escapeText } from 'entities'
import type { NodeId, NodeKind } from './records.ts'
import { factsOf, is, tagIds } from './tags.ts'

/** The part of a document that the serializer uses. */
interface WritableTree {
  kind(node: NodeId): NodeKind
  isElement(node: NodeId): boolean
  isForeign(node: NodeId): boolean
  name(node: NodeId): string
  parent(node: NodeId): NodeId
  end(node: NodeId): NodeId
  attributes(node: NodeId): Array<[string, string]>
  text(node: NodeId): string
}

/** Leaves out the subtrees for which `isDropped` returns true. */
export function serialize(document: WritableTree, node: NodeId, isDropped?: IsDropped): string {
  return write(document, node, document.end(node), isDropped)
}

type IsDropped = (node: NodeId) => boolean

export function serializeChildren(document: WritableTree, node: NodeId): string {
  return write(document, node + 1, document.end(node))
}

/** Nodes are in document order, so only the end tags need a stack. */
function write(document: WritableTree, first: NodeId, end: NodeId, isDropped?: IsDropped): string {
  const open: NodeId[] = []
  let html = ''
  for (let node = first; node < end; node++) {
    if (isDropped?.(node)) {
      node = document.end(node) - 1
      continue
    }
    html += closeUpTo(document, open, node) + openingOf(document, node)
    if (document.isElement(node) && !isVoid(document, node)) open.push(node)
  }
  return html + closeUpTo(document, open, end)
}

function closeUpTo(document: WritableTree, open: NodeId[], node: NodeId): string {
  let html = ''
  while (open.length > 0 && document.end(open.at(-1)!) <= node) html += `</${document.name(open.pop()!)}>`
  return html
}

function openingOf(document: WritableTree, node: NodeId): string {
  switch (document.kind(node)) {
    case 'element':
      return startTag(document, node)
    case 'text':
      return isInRawText(document, node) ? document.text(node) : escapeText(document.text(node))
    case 'comment':
      return `<!--${document.text(node)}-->`
    case 'doctype':
      return `<!DOCTYPE ${doctypeName(document.text(node))}>`
    default:
      return ''
  }
}

function startTag(document: WritableTree, node: NodeId): string {
  let html = `<${document.name(node)}`
  for (const [name, value] of document.attributes(node)) html += ` ${name}="${escapeAttribute(value)}"`
  return `${html}>`
}

function isVoid(document: WritableTree, node: NodeId): boolean {
  return !document.isForeign(node) && hasFact(document.name(node), is.void)
}

function isInRawText(document: WritableTree, node: NodeId): boolean {
  const parent = document.parent(node)
  return parent > 0 && !document.isForeign(parent) && hasFact(document.name(parent), is.rawText)
}

function hasFact(name: string, fact: number): boolean {
  const id = tagIds.get(name)
  return id !== undefined && (factsOf(id) & fact) !== 0
}

function doctypeName(declaration: string): string {
  return /^\s*([^\s>]*)/.exec(declaration)![1]!.toLowerCase()
}
