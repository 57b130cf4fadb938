// Reads a form of a page: the fields that a browser would send, with their current values.
import {
  compileSelector,
  type FlatDocument,
  type NodeId,
  selectAll,
} from '../../../extract/document/index.ts'
import { cleanText } from '../../../lib/text/clean-text.ts'
import { Failure } from '../../../model/failures.ts'
import type { FormFields, FormView } from '../../../scraper/page-view.ts'

const controls = compileSelector('input, select, textarea, button')
const options = compileSelector('option')
/** Types of controls that a browser sends only if the user pressed the control, or never. */
const pressed = new Set(['submit', 'image', 'button', 'reset', 'file'])

export function formOf(
  document: FlatDocument,
  form: NodeId,
  selector: string,
  pageUrl: string,
  baseUrl: string,
): FormView {
  if (form === -1 || document.name(form) !== 'form')
    throw new Failure(
      'extract.site-changed',
      `${pageUrl}: ${selector} ${form === -1 ? 'matches nothing' : `is a <${document.name(form)}>, not a form`}; the site may have changed`,
      { selector },
    )
  const method = document.attribute(form, 'method')?.trim().toUpperCase() === 'POST' ? 'POST' : 'GET'
  if (method === 'POST') refuseMultipart(document, form, selector, pageUrl)
  const action = URL.parse(document.attribute(form, 'action')?.trim() || pageUrl, baseUrl)
  return { action: action?.href ?? pageUrl, method, fields: fieldsOf(document, form) }
}

function refuseMultipart(document: FlatDocument, form: NodeId, selector: string, pageUrl: string): void {
  if (document.attribute(form, 'enctype')?.trim().toLowerCase() !== 'multipart/form-data') return
  if (!controlsOf(document, form).some(node => typeOf(document, node) === 'file')) return
  throw new Failure(
    'feature.missing',
    `${pageUrl}: ${selector} uploads files, which can't be sent; call open() on its URL with your own body`,
    { selector },
  )
}

function fieldsOf(document: FlatDocument, form: NodeId): FormFields {
  const fields: FormFields = {}
  const own = controlsOf(document, form)
  // Include the first submit button, as a browser does for Enter, because servers often use it to choose the action.
  const button = own.find(node => typeOf(document, node) === 'submit')
  for (const control of own) {
    const name = document.attribute(control, 'name')
    if (!name || name === '__proto__') continue
    const values =
      control === button ? [document.attribute(control, 'value') ?? ''] : valuesOf(document, control)
    for (const value of values) addValue(fields, name, value)
  }
  return fields
}

/** The controls of a form: those inside it, and those elsewhere whose `form` attribute refers to it. */
function controlsOf(document: FlatDocument, form: NodeId): NodeId[] {
  const id = document.attribute(form, 'id')
  const isOwn = (node: NodeId) => {
    const owner = document.attribute(node, 'form')
    return owner === null ? node > form && node < document.end(form) : owner === id
  }
  return selectAll(document, controls, 0).filter(
    node => isOwn(node) && document.attribute(node, 'disabled') === null,
  )
}

const typeOf = (document: FlatDocument, node: NodeId): string => {
  const type = document.attribute(node, 'type')?.trim().toLowerCase()
  if (document.name(node) === 'button') return type === 'button' || type === 'reset' ? type : 'submit'
  return document.name(node) === 'input' ? (type ?? 'text') : document.name(node)
}

function valuesOf(document: FlatDocument, control: NodeId): string[] {
  const type = typeOf(document, control)
  if (pressed.has(type)) return []
  if (type === 'select') return chosen(document, control)
  if (type === 'textarea') return [document.text(control)]
  if (type === 'checkbox' || type === 'radio')
    return document.attribute(control, 'checked') === null
      ? []
      : [document.attribute(control, 'value') ?? 'on']
  return [document.attribute(control, 'value') ?? '']
}

/** The values of the selected options. A single-choice list without a selected option uses the first one. */
function chosen(document: FlatDocument, select: NodeId): string[] {
  const all = selectAll(document, options, select)
  const marked = all.filter(option => document.attribute(option, 'selected') !== null)
  const isMany = document.attribute(select, 'multiple') !== null
  const taken = isMany ? marked : [marked.at(-1) ?? all[0]].filter(option => option !== undefined)
  return taken.map(option => document.attribute(option, 'value') ?? cleanText(document.text(option)))
}

function addValue(fields: FormFields, name: string, value: string): void {
  const before = fields[name]
  fields[name] = before === undefined ? value : [before, value].flat()
}
