// HTML that is safe by default: values in a template are escaped unless they are already HTML.

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | readonly Html[]

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character]!)
}

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((all, text, index) => all + render(parts[index - 1]!) + text))
}

function render(part: Part): string {
  if (part instanceof Html) return part.text
  if (typeof part === 'number') return String(part)
  if (typeof part === 'string') return escapeHtml(part)
  return part.map(each => each.text).join('\n')
}

export const nothing = new Html('')

/** A whole page with a heading. */
export const framed = (title: string, main: Html): Html => html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><main><h1>${title}</h1>
${main}</main></body></html>
`

/** A script block of JSON-LD. `<` is escaped so that no value can close the block. */
export function jsonLd(data: Record<string, unknown>): Html {
  const json = JSON.stringify({ '@context': 'https://schema.org', ...data }, null, 1).replaceAll(
    '<',
    '\\u003c',
  )
  return new Html(`<script type="application/ld+json">${json}</script>`)
}
