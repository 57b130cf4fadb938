// Uses the picker like a person: clicks in two rows, accepts the list, and extracts the records with the real rules.

import { type FlatDocument, type NodeId, parseDocument } from '../../src/extract/document/index.ts'
import { isWithin, textAt } from '../../src/extract/pick/nodes.ts'
import { pick } from '../../src/extract/pick/pick.ts'
import { applyRules, compileRules } from '../../src/extract/rules/index.ts'
import { extractionRules, type FieldRule } from '../../src/model/extraction-rules.ts'
import type { KnownField, PickAnswer, ProposedList } from '../../src/model/picking.ts'
import type { ListPage } from './list-pages.ts'

export const pageUrl = 'https://boats.example/goods'

/** The deepest element with exactly this text, or the image with this address. */
export function nodeWith(document: FlatDocument, value: string, from: NodeId = 0): NodeId {
  let found = -1
  for (let node = from + 1; node < document.size; node++) {
    if (!document.isElement(node)) continue
    const isImage =
      document.name(node) === 'img' &&
      [document.attribute(node, 'src'), document.attribute(node, 'data-src')].includes(value)
    if (isImage) return node
    if (textAt(document, node) !== value) continue
    if (found !== -1 && !isWithin(document, node, found)) break
    found = node
  }
  if (found === -1) throw new Error(`no element shows "${value}"`)
  return found
}

export interface Picking {
  first: PickAnswer
  list: ProposedList
  records: Array<Record<string, unknown>>
}

/** Clicks only texts and images, because a click on the text of a link picks the link. */
export async function picked(page: ListPage, rows = 2): Promise<Picking> {
  const document = parseDocument(page.html)
  const names = Object.keys(page.rows[0]!).filter(name => name !== 'link')
  let first: PickAnswer | null = null
  let list: ProposedList | null = null
  let fields: KnownField[] = []
  for (const name of names)
    for (const row of page.rows.filter(one => one[name] !== null).slice(0, rows)) {
      const node = nodeWith(document, row[name]!)
      const answer = pick(document, pageUrl, { node, ...(list && { each: list.each }), fields })
      first ??= answer
      if (!answer.lists[0]) throw new Error(`${page.name}: a click on "${row[name]}" finds no list`)
      list = answer.lists[0]
      fields = list.fields.map(({ name, css, xpath, attr, examples }) => ({
        name,
        css,
        xpath,
        attr,
        examples,
      }))
    }
  return { first: first!, list: list!, records: await recordsOf(document, page.html, list!) }
}

export async function recordsOf(document: FlatDocument, html: string, list: ProposedList) {
  const fields = Object.fromEntries(
    list.fields.map(({ name, css, xpath, attr }): [string, FieldRule] => [name, { css, xpath, attr }]),
  )
  const rules = compileRules(extractionRules.parse(JSON.parse(JSON.stringify({ each: list.each, fields }))))
  const found = await applyRules(document, rules, {
    ...{ url: pageUrl, baseUrl: pageUrl, source: html },
    coerce: text => text,
    regex: { run: async () => [] } as never,
  })
  return found.map(({ data }) => data as Record<string, unknown>)
}

/** Counts the correct cells of the records. The picker may give the fields other names. */
export function cellsRight(
  page: ListPage,
  { records }: Picking,
): { right: number; cells: number; wrong: string[] } {
  const wrong: string[] = []
  let cells = 0
  for (const [index, row] of page.rows.entries())
    for (const [name, value] of Object.entries(row)) {
      cells += 1
      const record = Object.values(records[index] ?? {})
      const isRight = value === null ? true : record.includes(value)
      if (!isRight)
        wrong.push(`row ${index + 1}: ${name} "${value}" is not in ${JSON.stringify(records[index])}`)
    }
  return { right: cells - wrong.length, cells, wrong }
}
