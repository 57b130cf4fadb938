// What answers have in common: times, pages, links, and the schema of a problem.
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { failures } from '../model/failures.ts'
import type { Server } from './parts.ts'

export const problemSchema = z
  .object({
    error: z.object({
      code: z.string().describe('Stable, like `input.invalid`.'),
      message: z.string(),
      field: z.string().optional().describe('The path of the field that is wrong.'),
      requestId: z.string(),
    }),
  })
  .meta({
    description: 'Something is wrong, and this is what.',
    examples: [
      {
        error: {
          code: 'input.invalid' satisfies keyof typeof failures,
          message: "the request can't be accepted: max_pages: Too small: expected number to be >=1",
          field: 'max_pages',
          request_id: '5f0c6e1c-0f4e-4f4b-9a57-0b5f3c1d2e3f',
        },
      },
    ],
  })

export const isoTime = (at: number): string => new Date(at).toISOString()
export const isoTimeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at))

/** Query of every list: how many, and where to go on. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  cursor: z.string().min(1).max(500).optional().describe('`next_cursor` of the page before.'),
}

/** Where this service is reached: as it was told, or as the caller reached it. */
export function baseUrl({ settings }: Pick<Server, 'settings'>, request: FastifyRequest): string {
  return settings.publicUrl?.replace(/\/+$/, '') ?? `${request.protocol}://${request.host}`
}
