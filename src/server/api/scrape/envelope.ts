// The envelope of every response of this API, for successes and failures.
import * as z from 'zod'
import { errorNameOf } from '../../../model/error-names.ts'
import type { FailureCode } from '../../../model/failures.ts'
import type { FastifyRequest } from '../../app.ts'
import type { Problem } from '../../http/problems.ts'

const requestIds = {
  requestId: z.string().describe('A UUID, also in the header `X-Request-ID` and in the log.'),
  clientRequestId: z.string().optional().describe('The `X-Request-ID` that the caller sent.'),
}

const idsOf = ({ id, clientRequestId }: FastifyRequest) => ({
  requestId: id,
  ...(clientRequestId !== null && { clientRequestId }),
})

/** Keys inside `data` are not converted to snake_case, so they are written in snake_case here. */
export const enveloped = <Data>(data: Data, request: FastifyRequest) => ({
  success: true as const,
  data,
  error: null,
  ...idsOf(request),
})

export const envelopeOf = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: z.literal(true), data, error: z.null(), ...requestIds })

/** Details of a failure that are part of the API. Other details stay private. */
const toldDetails = ['jobId', 'taskId', 'needs', 'reason'] as const

export function renderProblem(problem: Problem, request: FastifyRequest) {
  const { code, message, field, details, retryAfter } = problem
  const errors = fieldErrors(details.problems)
  const told = toldDetails.flatMap(name => (details[name] === undefined ? [] : [[name, details[name]]]))
  return {
    success: false,
    data: null,
    error: {
      code: errorNameOf(code as FailureCode),
      message,
      details: {
        ...(field !== undefined && { field }),
        ...(errors.length > 0 ? { errors } : field !== undefined && { errors: [{ field, message }] }),
        ...(retryAfter !== undefined && { retryAfterS: retryAfter }),
        ...Object.fromEntries(told),
      },
    },
    ...idsOf(request),
  }
}

function fieldErrors(problems: unknown): Array<{ field: string; message: string }> {
  const known = Array.isArray(problems) ? (problems as Array<{ path: string; message: string }>) : []
  return known.map(({ path, message }) => ({ field: path, message }))
}

export const problemEnvelope = z
  .object({
    success: z.literal(false),
    data: z.null(),
    error: z.object({
      code: z.string().describe('A name, like `ValidationError`.'),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
    }),
    ...requestIds,
  })
  .meta({
    description: 'The request failed.',
    examples: [
      {
        success: false,
        data: null,
        error: {
          code: 'ValidationError',
          message: "the request can't be accepted: url: an absolute http or https URL",
          details: { field: 'url', errors: [{ field: 'url', message: 'an absolute http or https URL' }] },
        },
        request_id: '5f0c6e1c-0f4e-4f4b-9a57-0b5f3c1d2e3f',
      },
    ],
  })
