// Request and response schemas of the previews API.
import * as z from 'zod'
import { fieldTypes, maxPrompt } from '../extraction-rules.ts'
import { id } from '../ids.ts'
import { jobSpec, webUrl } from '../job.ts'
import { renderModes } from '../policy/rendering.ts'
import type { Provenance } from '../record.ts'

/** A person waits for a preview, so the limit is short. */
const longestTimeoutS = 60

export const previewBody = z
  .strictObject({
    url: webUrl,
    render: jobSpec.shape.render.describe('Whether to use a browser; `true` adds a screenshot.'),
    waitFor: jobSpec.shape.rendering.unwrap().shape.waitFor,
    headers: jobSpec.shape.headers,
    userAgent: jobSpec.shape.userAgent,
    extract: jobSpec.shape.extract,
    timeoutS: z.number().min(1).max(longestTimeoutS).default(30),
  })
  .meta({ examples: [{ url: 'https://example.com/', extract: { fields: { title: 'h1' } } }] })
export type PreviewBody = z.output<typeof previewBody>

export const extractBody = z
  .strictObject({ extract: jobSpec.shape.extract })
  .meta({ examples: [{ extract: { fields: { name: 'h1', price: { css: '.price', as: 'money' } } } }] })

const node = z
  .int()
  .min(1)
  .describe('An element: its number in the attribute `data-kscrape-node` of the markup.')

const knownField = z.strictObject({
  name: z.string().min(1).max(100),
  css: z.string().max(10_000).optional(),
  xpath: z.string().max(10_000).optional(),
  attr: z.string().max(200).optional(),
  examples: z.array(node).max(100).describe('The elements that were clicked for it.'),
})

export const pickBody = z
  .strictObject({
    node: node.describe('The element that was clicked.'),
    each: z.string().min(1).max(10_000).optional().describe('Selector of the rows that the user accepted.'),
    fields: z.array(knownField).max(200).default([]).describe('Fields that the user has picked already.'),
    into: z
      .string()
      .max(100)
      .optional()
      .describe('The field that the click is another example of. Without it, the picker decides.'),
  })
  .meta({ examples: [{ node: 42 }] })

export const describeBody = z
  .strictObject({ prompt: z.string().min(1).max(maxPrompt).describe('The wanted fields, in words.') })
  .meta({ examples: [{ prompt: 'name, price and link of every product' }] })

const proposedField = z.object({
  name: z.string(),
  css: z.string().optional(),
  xpath: z.string().optional(),
  attr: z.string().optional(),
  as: z.enum(fieldTypes).optional(),
  many: z.boolean().optional(),
  examples: z.array(z.int()),
  filled: z.int().describe('Rows in which the field has a value.'),
  example: z.string().nullable().describe('Its value in the row that was clicked.'),
  nodes: z.array(z.int()).describe('Its element in each row; -1 where the row has none.'),
})

export const pickAnswer = z.object({
  changed: z.string().describe('The field that this click added or changed.'),
  lists: z
    .array(
      z.object({
        each: z.string().describe('The selector of the rows.'),
        rows: z.array(z.int()).describe('The elements of the rows.'),
        fields: z.array(proposedField).describe('The picked fields, relative to the row.'),
        others: z.array(proposedField).describe('Other parts of the rows that could be fields.'),
        detail: z
          .object({ field: z.string(), url: z.string(), include: z.string() })
          .nullable()
          .describe(
            'The detail pages of the rows: the first URL, and a pattern for `include` that matches all.',
          ),
      }),
    )
    .describe('Lists that contain all clicked elements, best first. Empty if there is none.'),
  page: z.array(proposedField).describe('The same fields with one record per page.'),
  nextPage: z
    .object({ css: z.string(), url: z.string(), include: z.string() })
    .nullable()
    .describe('The link to the next page of the list.'),
})

export const look = z.object({
  html: z.string().describe('The markup with numbered elements, without scripts and style sheets.'),
  styles: z.array(z.string()).describe('Style sheets in order; files in them are `data:` URLs.'),
  images: z.array(z.object({ node: z.int(), data: z.string() })),
  inStyles: z.array(z.object({ address: z.string(), data: z.string() })),
  shell: z.string().nullable().describe('Why the page is empty without a browser; null if it is not.'),
  missing: z.int().describe('Number of files that are left out: fetch failed, or too many or too large.'),
})

export const previewParams = z.object({ previewId: id })

const records = {
  maker: z.string().describe('`id@version` of the extractor.'),
  records: z.array(
    z.object({
      data: z.record(z.string(), z.unknown()),
      provenance: z.record(z.string(), z.unknown()).describe('Source of each field, or why it is null.'),
    }),
  ),
  problem: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why there is no record: the page cannot be parsed, or the rules match nothing.'),
}

export const triedRules = z.object({ previewId: z.string(), ...records })

const cut = 'Null if the page is not text. Cut at two million characters.'

export const preview = z.object({
  previewId: z.string().describe('Job id of the preview. Its page and files exist for an hour.'),
  itemId: z.string(),
  url: z.string(),
  finalUrl: z.string(),
  httpStatus: z.int(),
  contentType: z.string().nullable(),
  way: z.enum(['http', 'browser']),
  render: z.enum(renderModes),
  bytes: z.int(),
  hasModel: z.boolean().describe('Whether `describe` can propose fields.'),
  fetchedAt: z.string(),
  durationMs: z.int(),
  renderedWhy: z
    .string()
    .nullable()
    .describe('With `render: auto`: why the page was loaded again with a browser.'),
  title: z.string().nullable(),
  text: z.string().nullable().describe(cut),
  markdown: z.string().nullable().describe(cut),
  html: z.string().nullable().describe(cut),
  artifacts: z
    .array(z.string())
    .describe('Download them from `/jobs/{preview_id}/items/{item_id}/download`.'),
  ...records,
})

export type PreviewLook = z.infer<typeof look>
export interface TriedRecord {
  data: Record<string, unknown>
  /** Source of each field, or why it is null. */
  provenance: Provenance
}
export type Preview = Omit<z.infer<typeof preview>, 'records'> & { records: TriedRecord[] }
