// The fields of a PDF form and their values.
import { escapeInline } from '../content/markdown-text.ts'
import type { PdfField } from './pdf-jobs.ts'

/** The members of a pdf.js widget that we use. */
export interface Widget {
  subtype?: unknown
  fieldName?: unknown
  alternativeText?: unknown
  fieldType?: unknown
  fieldValue?: unknown
  exportValue?: unknown
  buttonValue?: unknown
  checkBox?: unknown
  radioButton?: unknown
  pushButton?: unknown
  password?: unknown
}

/** The fields of the form. Widgets of a radio group share one name, so they become one field. */
export function fieldsOf(widgets: readonly Widget[]): PdfField[] {
  const fields = new Map<string, PdfField>()
  for (const widget of widgets) {
    if (widget.subtype !== 'Widget' || typeof widget.fieldName !== 'string' || widget.pushButton) continue
    const name = widget.fieldName
    const label = spoken(widget.alternativeText) || spoken(name.split('.').at(-1)) || name
    const value = fieldValueOf(widget)
    const known = fields.get(name)
    if (!known) fields.set(name, { name, label, value })
    else if (known.value === null || known.value === false) known.value = value
  }
  return [...fields.values()]
}

function fieldValueOf({ checkBox, exportValue, fieldValue, password }: Widget): PdfField['value'] {
  if (password) return null
  if (checkBox) return isOn(fieldValue) && (typeof exportValue !== 'string' || fieldValue === exportValue)
  if (Array.isArray(fieldValue)) return listOf(fieldValue)
  return isOn(fieldValue) ? spoken(fieldValue) || null : null
}

/** A list with only one choice becomes that choice. */
function listOf(values: readonly unknown[]): PdfField['value'] {
  const texts = values.map(spoken).filter(Boolean)
  return texts.length > 1 ? texts : (texts[0] ?? null)
}

const isOn = (value: unknown): value is string => typeof value === 'string' && value !== '' && value !== 'Off'

const spoken = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/\p{Cc}+/gu, ' ').trim() : ''

/** One list line for each checkbox and for each field with a value. */
export const formMarkdown = (fields: readonly PdfField[]): string =>
  fields
    .filter(({ value }) => value !== null)
    .map(({ label, value }) =>
      typeof value === 'boolean'
        ? `- [${value ? 'x' : ' '}] ${escapeInline(label)}`
        : `- **${escapeInline(label)}**: ${escapeInline([value].flat().join(', '))}`,
    )
    .join('\n')
