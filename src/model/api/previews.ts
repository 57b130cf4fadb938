// Request and response schemas of the previews API.
import * as z from 'zod'
import { maxPrompt } from '../extraction-rules.ts'
import { id } from '../ids.ts'
import { jobSpec, webUrl } from '../job.ts'
import { renderModes } from '../policy/rendering.ts'
import type { Provenance } from '../record.ts'

/** A person waits for a preview, so the limit is short. */
const longestTimeoutS = 60

export const previewBody = z
  .strictObject({
    url: webUrl,
    render: jobSpec.shape.render.describe(
      'Whether to use a browser. `true` means `always`, which also makes a screenshot.',
    ),
    waitFor: jobSpec.shape.rendering.unwrap().shape.waitFor,
    headers: jobSpec.shape.headers,
    userAgent: jobSpec.shape.userAgent,
    extract: jobSpec.shape.extract,
    timeoutS: z.number().min(1).max(longestTimeoutS).default(30),
  })
  .meta({ examples: [{ url: 'https://example.com/', extract: { fields: { title: 'h1' } } }] })
export type PreviewBody = z.output<typeof previewBody>
export type NewPreview = z.input<typeof previewBody>

export const extractBody = z
  .strictObject({ extract: jobSpec.shape.extract })
  .meta({ examples: [{ extract: { fields: { name: 'h1', price: { css: '.price', as: 'money' } } } }] })

export const describeBody = z
  .strictObject({ prompt: z.string().min(1).max(maxPrompt).describe('The wanted fields, in words.') })
  .meta({ examples: [{ prompt: 'name, price and link of every product' }] })

export const look = z.object({
  html: z.string().describe('The markup with numbered elements, without scripts and style sheets.'),
  styles: z.array(z.string()).describe('Style sheets in order; files in them are `data:` URLs.'),
  images: z.array(z.object({ node: z.int(), data: z.string() })),
  inStyles: z.array(z.object({ address: z.string(), data: z.string() })),
  shell: z.string().nullable().describe('Why the page is empty without a browser; null if it is not empty.'),
  missing: z
    .int()
    .describe(
      'Number of files that are left out because they could not be fetched, or because there are too many or they are too large.',
    ),
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
