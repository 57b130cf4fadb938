// Templates in actions: `{{row.name}}` from the task's row, `{{secret.NAME}}` from Secrets, `{{item}}` within for-each.

export type TemplatePart =
  | { is: 'text'; text: string }
  | { is: 'row'; name: string }
  | { is: 'secret'; name: string }
  | { is: 'item' }
  | { is: 'value'; name: string }

const place = /\{\{\s*([^{}]*?)\s*\}\}/g
const nameForms = {
  row: /^row\.(.{1,200})$/s,
  secret: /^secret\.([A-Za-z][A-Za-z0-9_]{0,99})$/,
  value: /^value\.([A-Za-z_][A-Za-z0-9_]{0,99})$/,
} as const

/** Splits a template into its parts. Returns an error message (a string) if a placeholder is unknown. */
export function readTemplate(text: string): TemplatePart[] | string {
  const parts: TemplatePart[] = []
  let from = 0
  for (const found of text.matchAll(place)) {
    const part = partOf(found[1]!)
    if (!part)
      return `{{${found[1]}}} is neither {{row.COLUMN}}, {{secret.NAME}}, {{value.NAME}} nor {{item}}`
    if (found.index > from) parts.push({ is: 'text', text: text.slice(from, found.index) })
    parts.push(part)
    from = found.index + found[0].length
  }
  if (from < text.length) parts.push({ is: 'text', text: text.slice(from) })
  return parts
}

function partOf(inside: string): TemplatePart | null {
  if (inside === 'item') return { is: 'item' }
  for (const is of ['row', 'secret', 'value'] as const) {
    const name = nameForms[is].exec(inside)?.[1]
    if (name) return { is, name: is === 'row' ? name.trim() : name }
  }
  return null
}

/** Whether any text in the value has a `{{secret.NAME}}`, in every form that `readTemplate` accepts. */
export function namesSecret(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(namesSecret)
  if (typeof value !== 'string') return false
  return value.matchAll(place).some(([, inside]) => partOf(inside!)?.is === 'secret')
}

export const hasTemplate = (text: string): boolean => /\{\{[^{}]*\}\}/.test(text)
