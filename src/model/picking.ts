// Picking: the user clicks elements of a page, and the picker proposes fields and selectors.
import * as z from 'zod'
import { fieldTypes } from './extraction-rules.ts'

const node = z
  .int()
  .min(1)
  .describe('An element: its number in the attribute `data-kscrape-node` of the markup.')

const knownField = z.strictObject({
  name: z.string().min(1).max(100),
  css: z.string().max(10_000).optional(),
  xpath: z.string().max(10_000).optional(),
  attr: z.string().max(200).optional(),
  examples: z.array(node).max(100).describe('The elements that the user clicked for this field.'),
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
      .describe('The field of which the clicked element is another example. If unset, the picker decides.'),
  })
  .meta({ examples: [{ node: 42 }] })

const proposedField = z.object({
  name: z.string(),
  css: z.string().optional(),
  xpath: z.string().optional(),
  attr: z.string().optional(),
  as: z.enum(fieldTypes).optional(),
  many: z.boolean().optional(),
  examples: z.array(z.int()),
  filled: z.int().describe('Rows in which the field has a value.'),
  example: z.string().nullable().describe('The value of the field in the row that was clicked.'),
  nodes: z.array(z.int()).describe('The element of the field in each row; -1 if the row has none.'),
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
            'The links of the rows to detail pages: the first URL, and a pattern for `include` that matches the links of all rows.',
          ),
      }),
    )
    .describe('Lists that contain all clicked elements, best first. Empty if there is none.'),
  page: z
    .array(proposedField)
    .describe('The picked fields with selectors for the whole page, for one record per page.'),
  nextPage: z
    .object({ css: z.string(), url: z.string(), include: z.string() })
    .nullable()
    .describe('The link to the next page of the list.'),
})

export type PickRequest = z.input<typeof pickBody>
/** A field that the user has picked already. */
export type KnownField = z.infer<typeof knownField>
export type PickAnswer = z.infer<typeof pickAnswer>
export type ProposedField = z.infer<typeof proposedField>
export type ProposedList = PickAnswer['lists'][number]
