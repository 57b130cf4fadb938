// The parts of a row that can become fields: elements with text of their own, and images.
import type { FlatDocument, NodeId } from '../document/index.ts'
import { chainBelow, classesOf, isSeen, ownText } from './nodes.ts'

/** A row is a range of nodes: one element, or an element with its siblings up to the next row. */
export interface Row {
  node: NodeId
  /** The first node after the row. */
  end: NodeId
}

const mostLeaves = 120

export function leavesOf(document: FlatDocument, row: Row, most = mostLeaves): NodeId[] {
  const leaves: NodeId[] = []
  for (let node = row.node; node < row.end && leaves.length < most; node++) {
    if (!document.isElement(node)) continue
    if (!isSeen(document, node)) {
      node = document.end(node) - 1
      continue
    }
    if (isLeaf(document, node)) leaves.push(node)
  }
  return leaves
}

function isLeaf(document: FlatDocument, node: NodeId): boolean {
  if (document.name(node) === 'img') return true
  if (document.name(node) === 'input' || document.name(node) === 'option') return false
  return ownText(document, node) !== ''
}

/** Tags and classes from the row down to the element. Equal for corresponding parts of two rows. */
export function kindOf(document: FlatDocument, row: Row, node: NodeId): string {
  const top = node < document.end(row.node) ? row.node : document.parent(row.node)
  return chainBelow(document, top, node)
    .map(at => `${document.name(at)}.${classesOf(document, at).sort().join('.')}`)
    .join('>')
}

export type ValueKind =
  | 'money'
  | 'number'
  | 'date'
  | 'image'
  | 'percent'
  | 'email'
  | 'phone'
  | 'text'
  | 'none'

const money =
  /^(?:from\s+|ab\s+)?(?:[$€£¥₹₽₩]|(?:USD|EUR|GBP|CHF|JPY|PLN|SEK|NOK|DKK|CZK|AUD|CAD|kr|zł|Fr\.|Rs\.?))\s?\d[\d.,'\s]*(?:\s*\/\s*\w+)?$|^\d[\d.,'\s]*\s?(?:[$€£¥₹₽₩]|(?:USD|EUR|GBP|CHF|JPY|PLN|SEK|NOK|DKK|CZK|AUD|CAD|kr|zł)\b)(?:\s*\/\s*\w+)?/i
const date =
  /^\d{4}-\d{2}-\d{2}|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$|^(?:\d{1,2}\.?\s+)?(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zé.]*\s+\d{1,2}?,?\s*\d{0,4}$/i

export function valueKind(document: FlatDocument, node: NodeId, text: string): ValueKind {
  const name = document.name(node)
  if (name === 'img') return 'image'
  if (text === '') return 'none'
  if (money.test(text)) return 'money'
  if (name === 'time' || date.test(text)) return 'date'
  if (/^\d+(?:[.,]\d+)?\s?%$/.test(text)) return 'percent'
  if (/^[+-]?\d[\d.,\s]*$/.test(text)) return 'number'
  if (/^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i.test(text)) return 'email'
  return /^\+?[\d\s()/-]{7,20}$/.test(text) ? 'phone' : 'text'
}
