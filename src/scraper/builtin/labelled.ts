// Values with labels: definition lists, two-column tables, lines such as "Label: value".
import type { PageView } from '../page-view.ts'
import type { Candidate } from './pick.ts'

/** Longer text after a label is a paragraph, not a value. */
const longestValue = 200

export function labelled(page: PageView, label: RegExp): Candidate[] {
  const value = inLists(page, label) ?? inRows(page, label) ?? inLines(page, label)
  return [{ from: 'css', by: `the label ${label.source}`, value }]
}

function inLists(page: PageView, label: RegExp): string | null {
  for (const list of page.each('dl')) {
    const values = list.all('dd')
    const index = list.all('dt').findIndex(term => isLabel(term, label))
    if (index !== -1 && values[index]) return values[index]
  }
  return null
}

function inRows(page: PageView, label: RegExp): string | null {
  for (const row of page.each('tr')) {
    const [term, value] = row.all('th, td')
    if (term && value && isLabel(term, label)) return value
  }
  return null
}

function inLines(page: PageView, label: RegExp): string | null {
  for (const line of page.all('li, p')) {
    const colon = line.indexOf(':')
    if (colon < 1 || line.length - colon > longestValue) continue
    if (isLabel(line.slice(0, colon), label)) return line.slice(colon + 1).trim() || null
  }
  return null
}

const isLabel = (text: string, label: RegExp): boolean => label.test(text.replace(/:\s*$/, '').trim())
