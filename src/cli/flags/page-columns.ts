// Parses `--page-columns url,status`: the columns about the page of a record.
import { suggest } from '../../lib/text/suggest.ts'
import { type PageColumn, pageColumns } from '../../model/table-shape.ts'

export function parsePageColumns(text: string): PageColumn[] {
  if (text === 'all') return [...pageColumns]
  if (text === 'none') return []
  const names = text
    .split(',')
    .map(name => name.trim().replace(/^_page_/, ''))
    .filter(name => name !== '')
  return names.map(pageColumnOf)
}

function pageColumnOf(name: string): PageColumn {
  const known = pageColumns.find(column => column === name)
  if (known) return known
  const meant = suggest(name, pageColumns)
  const hint = meant ? `did you mean "${meant}"?` : `use ${pageColumns.join(', ')}, all or none`
  throw new Error(`"${name}" is not a page column; ${hint}`)
}
