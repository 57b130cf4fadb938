// Writes a document tree as lines, both from our documents and from parse5, so that the two parsers can be compared.

import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import type { FlatDocument, NodeId } from '../../src/extract/document/index.ts'

/** In our documents, nodes that are nested more deeply than this are attached at this depth. */
const maxDepth = 512

type SpecNode = DefaultTreeAdapterTypes.ChildNode

/** One line per node: depth and description. Letter case is ignored, also in svg. */
export function treeOf(document: FlatDocument): string[] {
  const lines: string[] = []
  const depths = [0]
  for (let node: NodeId = 1; node < document.size; node++) {
    const depth = depths[document.parent(node)]! + 1
    depths[node] = depth
    lines.push(lineOf(depth, describe(document, node)))
  }
  return lines
}

function describe(document: FlatDocument, node: NodeId): string {
  switch (document.kind(node)) {
    case 'element':
      return elementLine(document.name(node), document.attributes(node))
    case 'text':
      return JSON.stringify(document.text(node))
    case 'comment':
      return `<!--${JSON.stringify(document.text(node))}`
    default:
      return '<!doctype>'
  }
}

/** The same lines from parse5, with scripting disabled. */
export function specTreeOf(source: string): string[] {
  const lines: string[] = []
  const open = parse(source, { scriptingEnabled: false })
    .childNodes.map(node => ({ node, depth: 1 }))
    .reverse()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next
    lines.push(lineOf(depth, describeSpec(node)))
    const childDepth = Math.min(depth, maxDepth) + 1
    for (const child of childrenOf(node).toReversed()) open.push({ node: child, depth: childDepth })
  }
  return lines
}

function describeSpec(node: SpecNode): string {
  if (node.nodeName === '#text') return JSON.stringify((node as DefaultTreeAdapterTypes.TextNode).value)
  if (node.nodeName === '#comment')
    return `<!--${JSON.stringify((node as DefaultTreeAdapterTypes.CommentNode).data)}`
  if (node.nodeName === '#documentType') return '<!doctype>'
  const { tagName, attrs } = node as DefaultTreeAdapterTypes.Element
  const attributes = attrs.map(({ prefix, name, value }): [string, string] => [
    lowerCase(prefix ? `${prefix}:${name}` : name),
    value,
  ])
  return elementLine(lowerCase(tagName), attributes)
}

function childrenOf(node: SpecNode): SpecNode[] {
  if ('content' in node) return node.content.childNodes
  return 'childNodes' in node ? node.childNodes : []
}

function elementLine(name: string, attributes: Array<[string, string]>): string {
  return `<${name}${attributes.map(([key, value]) => ` ${key}=${JSON.stringify(value)}`).join('')}>`
}

function lineOf(depth: number, text: string): string {
  return `${' '.repeat(Math.min(depth, 60))}${depth > 60 ? depth : ''}${text}`
}

function lowerCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => letter.toLowerCase())
}
