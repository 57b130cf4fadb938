// Parses the query of a browser connection's URL, and turns it into a job.
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Settings } from '../../../config/settings.ts'
import { Failure } from '../../../model/failures.ts'
import { id } from '../../../model/ids.ts'
import type { GivenSpec } from '../../../model/job.ts'
import { camel, mapKeys } from '../../../model/letter-case.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'

export type Protocol = 'cdp' | 'playwright'

const yesOrNo = z.enum(['true', 'false', '1', '0']).transform(text => text === 'true' || text === '1')
const milliseconds = z.coerce.number().int().min(1_000)

/** Query parameters of this service, and those that clients of Browserless and Steel send. */
const connectionQuery = z.strictObject({
  token: z.string().optional(),
  apiKey: z.string().optional(),
  /** Maximum duration of the connection, in milliseconds. */
  timeout: milliseconds.optional(),
  maxPages: z.coerce.number().int().min(1).optional(),
  /** The name of a saved session. */
  session: id.optional(),
  /** The id of the connection. Set if the client chooses the id, like Steel's clients. */
  sessionId: z.uuid().optional(),
  userAgent: z.string().min(1).max(1_000).optional(),
  ignoreRobots: yesOrNo.optional(),
  /** A job policy as JSON text. */
  policy: z.string().max(16_384).optional(),
})
type ConnectionQuery = z.output<typeof connectionQuery>

export interface ConnectionRequest extends Omit<ConnectionQuery, 'token' | 'apiKey'> {
  protocol: Protocol
}

const spellings: Record<string, string> = {
  max_pages: 'maxPages',
  user_agent: 'userAgent',
  ignore_robots: 'ignoreRobots',
}
const ownNames = new Map(Object.entries(spellings).map(([own, name]) => [name, own]))

/** Throws `input.invalid` with the invalid parameter, its value, and the known parameters. */
export function readQuery(search: URLSearchParams): ConnectionQuery {
  const given = Object.fromEntries([...search].map(([name, value]) => [spellings[name] ?? name, value]))
  const parsed = connectionQuery.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const known = Object.keys(connectionQuery.shape).map(shown).join(', ')
  const message =
    issue?.code === 'unrecognized_keys'
      ? `unknown parameter ${issue.keys.map(key => `"${key}"`).join(', ')}; known parameters: ${known}`
      : `parameter ${shown(String(issue?.path[0]))}: ${issue?.message}`
  throw new Failure('input.invalid', message, { path: String(issue?.path[0] ?? '') })
}

/** The parameter name as our documents write it, in snake_case. */
const shown = (name: string): string => ownNames.get(name) ?? name

type Limits = Pick<Settings, 'browserConnectionMs' | 'browserConnectionBytes' | 'browserConnectionPages'>

interface PlannedConnection {
  connectionId: string
  maxMs: number
  maxPages: number
  spec: GivenSpec
}

interface Consents {
  mayBeBrowser: boolean
  mayUseCredentials: boolean
}
const noConsents: Consents = { mayBeBrowser: false, mayUseCredentials: false }

/** Plans the job of a browser connection. `consents`: consents of the caller that the job gets, because the client may send
 *  commands that need them. */
export function planConnection(
  options: ConnectionRequest,
  limits: Limits,
  consents = noConsents,
): PlannedConnection {
  const connectionId = options.sessionId ?? randomUUID()
  const maxMs = within(
    'timeout',
    options.timeout,
    limits.browserConnectionMs,
    'SCRAPER_BROWSER_CONNECTION_TIME',
  )
  const maxPages = within(
    ...([
      'max_pages',
      options.maxPages,
      limits.browserConnectionPages,
      'SCRAPER_BROWSER_CONNECTION_PAGES',
    ] as const),
  )
  const input = {
    connectionId,
    protocol: options.protocol,
    maxMs,
    maxPages,
    maxBytes: limits.browserConnectionBytes,
    ...consents,
  }
  const policy = policyOf(options.policy)
  const spec = parseJobSpec({
    ...{ items: [{ input }], scraperId: 'browser-connection', render: 'always', results: { raw: 'none' } },
    labels: { browser_connection: connectionId },
    ...(options.session !== undefined && { session: options.session }),
    ...(options.userAgent !== undefined && { userAgent: options.userAgent }),
    policy: {
      ...policy,
      ...(options.ignoreRobots && { robots: 'ignore' }),
      retries: { attempts: 0 },
    },
  })
  return { connectionId, maxMs, maxPages, spec }
}

function within(name: string, asked: number | undefined, most: number, setting: string): number {
  if (asked === undefined || asked <= most) return asked ?? most
  throw new Failure('input.invalid', `${name}: ${asked} is above the limit of ${most} (${setting})`, {
    path: name,
  })
}

function policyOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {}
  try {
    return mapKeys(JSON.parse(text), camel) as Record<string, unknown>
  } catch {
    throw new Failure('input.invalid', 'policy: must be the policy of a job as JSON, URL-encoded', {
      path: 'policy',
    })
  }
}
