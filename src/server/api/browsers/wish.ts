// What a client asks for with a browser connection: the query of its URL, checked, and the job that it becomes.
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

/** Names of Browserless and Steel stand beside ours. */
const connectionQuery = z.strictObject({
  token: z.string().optional(),
  apiKey: z.string().optional(),
  /** Milliseconds. */
  timeout: milliseconds.optional(),
  maxPages: z.coerce.number().int().min(1).optional(),
  /** A saved login. */
  session: id.optional(),
  /** An id of the client's own for the connection, as Steel has it. */
  sessionId: z.uuid().optional(),
  userAgent: z.string().min(1).max(1_000).optional(),
  ignoreRobots: yesOrNo.optional(),
  /** The policy of a job, as JSON. */
  policy: z.string().max(16_384).optional(),
})
type ConnectionQuery = z.output<typeof connectionQuery>

export interface ConnectionWish extends Omit<ConnectionQuery, 'token' | 'apiKey'> {
  protocol: Protocol
}

const spellings: Record<string, string> = {
  max_pages: 'maxPages',
  user_agent: 'userAgent',
  ignore_robots: 'ignoreRobots',
}
const ownNames = new Map(Object.entries(spellings).map(([own, name]) => [name, own]))

/** Throws `input.invalid` with the parameter, its value and the known ones. */
export function readQuery(search: URLSearchParams): ConnectionQuery {
  const given = Object.fromEntries([...search].map(([name, value]) => [spellings[name] ?? name, value]))
  const parsed = connectionQuery.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const known = Object.keys(connectionQuery.shape).map(shown).join(', ')
  const message =
    issue?.code === 'unrecognized_keys'
      ? `unknown parameter ${issue.keys.map(key => `"${key}"`).join(', ')}; known are ${known}`
      : `parameter ${shown(String(issue?.path[0]))}: ${issue?.message}`
  throw new Failure('input.invalid', message, { path: String(issue?.path[0] ?? '') })
}

/** As our own documents spell it. */
const shown = (name: string): string => ownNames.get(name) ?? name

type Limits = Pick<Settings, 'browserConnectionMs' | 'browserConnectionBytes' | 'browserConnectionPages'>

interface PlannedConnection {
  connectionId: string
  maxMs: number
  maxPages: number
  spec: GivenSpec
}

export function planConnection(wish: ConnectionWish, limits: Limits): PlannedConnection {
  const connectionId = wish.sessionId ?? randomUUID()
  const maxMs = within('timeout', wish.timeout, limits.browserConnectionMs, 'SCRAPER_BROWSER_CONNECTION_TIME')
  const maxPages = within(
    ...([
      'max_pages',
      wish.maxPages,
      limits.browserConnectionPages,
      'SCRAPER_BROWSER_CONNECTION_PAGES',
    ] as const),
  )
  const input = {
    connectionId,
    protocol: wish.protocol,
    maxMs,
    maxPages,
    maxBytes: limits.browserConnectionBytes,
  }
  const policy = policyOf(wish.policy)
  const spec = parseJobSpec({
    ...{ items: [{ input }], scraperId: 'browser-connection', render: 'always', results: { raw: 'none' } },
    labels: { browser_connection: connectionId },
    ...(wish.session !== undefined && { session: wish.session }),
    ...(wish.userAgent !== undefined && { userAgent: wish.userAgent }),
    policy: {
      ...policy,
      ...(wish.ignoreRobots && { robots: 'ignore' }),
      retries: { attempts: 0 },
    },
  })
  return { connectionId, maxMs, maxPages, spec }
}

function within(name: string, asked: number | undefined, most: number, setting: string): number {
  if (asked === undefined || asked <= most) return asked ?? most
  throw new Failure('input.invalid', `${name}: ${asked} is more than ${most}, the limit here (${setting})`, {
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
