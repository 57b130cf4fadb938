// Request and response schemas of the hosts API.
import * as z from 'zod'
import { givenHostPolicy, hostPolicy, rate } from '../policy/policy.ts'

const time = z.string().describe('ISO 8601, in UTC.')

/** A host as in a URL: the name, and the port if it is not the default port. */
const hostName = z
  .string()
  .max(300)
  .transform(text => URL.parse(`http://${text}/`)?.host ?? '')
  .refine(host => host !== '' && !/[/?#@]/.test(host), 'not a host like "example.com" or "example.com:8080"')

export const hostParams = z.object({ host: hostName })

export const policyBody = givenHostPolicy.refine(
  policy => Object.keys(policy).length > 0,
  'name at least one field, like {"rate": 0.5}',
)

export const pauseBody = z
  .strictObject({
    until: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('End of the pause. If unset, the pause lasts until the host is resumed.'),
    reason: z.string().max(500).optional(),
  })
  .nullish()
  .meta({ examples: [{ reason: 'they asked us to wait', until: '2030-01-01T00:00:00Z' }] })

export const shownHost = z.object({
  host: z.string(),
  rateNow: rate.describe('Highest rate in requests per second, for jobs without a rate of their own.'),
  rateFactor: z.number().describe('Below 1 while the host is slowed down after a 429 response.'),
  crawlDelayMs: z.int().nullable(),
  policy: hostPolicy,
  policySet: z
    .object({ policy: z.record(z.string(), z.unknown()), by: z.string(), at: time })
    .nullable()
    .describe('The override that was set with this API. It wins over the domain policy file.'),
  paused: z
    .object({ until: time.nullable(), reason: z.string().nullable(), by: z.string(), at: time })
    .nullable(),
  denied: z.string().nullable().describe('Why no job may request this host; null if jobs may request it.'),
  breaker: z.object({ state: z.enum(['closed', 'open', 'half_open']), until: time.nullable() }),
  waits: z
    .object({ reason: z.string(), until: time.nullable() })
    .nullable()
    .describe('What the next request waits for.'),
  inFlight: z.int(),
  requests: z.int(),
  failures: z.int(),
  lastErrors: z
    .array(z.object({ code: z.string(), message: z.string().nullable(), at: time.nullable() }))
    .describe('Newest first.'),
  robots: z.array(
    z.object({
      origin: z.string(),
      verdict: z.enum(['parsed', 'unavailable', 'unreachable']),
      status: z.int().nullable(),
      frontPage: z.object({ allowed: z.boolean(), rule: z.string().nullable() }).nullable(),
      crawlDelayMs: z.int().nullable(),
      fetchedAt: time.describe('When the file was fetched, ISO 8601.'),
      expiresAt: time.describe('When the file is fetched again, ISO 8601.'),
    }),
  ),
})

export const hostList = z.object({ hosts: z.array(shownHost), nextCursor: z.string().nullable() })

export type HostShown = z.infer<typeof shownHost>
