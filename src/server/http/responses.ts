// Shared parts of responses: times, pagination, links, and the schema of an error response.
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { failures } from '../../model/failures.ts'
import type { Server } from '../parts.ts'

export const problemSchema = z
  .object({
    error: z.object({
      code: z.string().describe('Stable, like `input.invalid`.'),
      message: z.string(),
      field: z.string().optional().describe('The path of the invalid field.'),
      requestId: z.string(),
    }),
  })
  .meta({
    description: 'The request failed.',
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

/** The base URL of this service: the configured public URL, else the URL that the caller used. */
export function baseUrl({ settings }: Pick<Server, 'settings'>, request: FastifyRequest): string {
  return settings.publicUrl?.replace(/\/+$/, '') ?? `${request.protocol}://${request.host}`
}
