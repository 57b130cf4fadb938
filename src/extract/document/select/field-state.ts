// Decides whether a form field is disabled, by its own attribute or by that of its fieldset or option group.
import type { FlatDocument } from '../flat-document.ts'
import type { NodeId } from '../records.ts'

const fields = new Set(['button', 'input', 'select', 'textarea', 'fieldset'])

/** Null for elements that cannot be disabled. */
export function isDisabled(document: FlatDocument, node: NodeId): boolean | null {
  const name = document.name(node)
  if (name === 'option') return hasIt(document, node) || isInDisabledGroup(document, node)
  if (name === 'optgroup') return hasIt(document, node)
  return fields.has(name) ? hasIt(document, node) || isInDisabledFieldset(document, node) : null
}

const hasIt = (document: FlatDocument, node: NodeId): boolean => document.attribute(node, 'disabled') !== null

function isInDisabledGroup(document: FlatDocument, option: NodeId): boolean {
  const group = document.parent(option)
  return document.name(group) === 'optgroup' && hasIt(document, group)
}

/** Fields in the first legend of a disabled fieldset stay enabled. */
function isInDisabledFieldset(document: FlatDocument, node: NodeId): boolean {
  let below = node
  for (let around = document.parent(node); around > 0; around = document.parent(around)) {
    const isOff = document.name(around) === 'fieldset' && hasIt(document, around)
    if (isOff && below !== firstLegend(document, around)) return true
    below = around
  }
  return false
}

function firstLegend(document: FlatDocument, fieldset: NodeId): NodeId {
  let child = document.firstChild(fieldset)
  while (child >= 0 && !(document.isElement(child) && document.name(child) === 'legend'))
    child = document.nextSibling(child)
  return child
}
