// Leader election with an advisory lock. The lock belongs to a database session, which ends with the process. If a machine
// disappears or hangs, the database ends the idle session.
import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'
import { loadFor } from '../../lib/optional-packages.ts'
import { settledWithin } from '../../lib/settled-within.ts'
import { Failure } from '../../model/failures.ts'
import type { Leadership, Term } from '../../ports/leadership.ts'
import type { WriteGuard } from './database.ts'

interface LeadershipOptions {
  url: string
  /** The name that the leaders compete for, such as a shard. Each name has one leader. */
  name: string
  /** Number of shards. Processes with different numbers never lead at the same time. */
  shards?: number
  /** Whether this process should lead more shards. If not, it waits, so that other processes can lead. */
  isEager?: () => boolean
  /** Called once with the reason why this process cannot lead. */
  tell?: (why: string) => void
}

/** Interval of a standby's attempts to lead, and of a leader's session checks. */
const lookEveryMs = 1_000
/** How long a process that should not lead more shards waits before each attempt to lead. Meanwhile, other processes try twice.
 *  A shard without a leader still gets one within five seconds. */
const reluctantMs = 2_000
/** A session that does not respond within this time is lost: another process may already lead. */
const answerWithinMs = 3_000
/** The database ends a session that is idle for this time. A leader checks every second, and stops leading long before this. */
const longestSilenceMs = 10_000
const longestCloseMs = 1_000

export const openLeadership = (options: LeadershipOptions): Leadership => ({
  async lead(signal) {
    const { isEager = () => true, tell = () => {} } = options
    let told = false
    while (!signal.aborted) {
      if (!isEager()) await wait(reluctantMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) break
      const turn = await tryToLead(options).catch(() => 'taken' as const)
      if (typeof turn !== 'string') return turn
      if (turn === 'other-number' && !told) tell(otherNumber(options))
      told ||= turn === 'other-number'
      await wait(lookEveryMs, undefined, { signal }).catch(() => {})
    }
    return null
  },
})

const otherNumber = ({ shards = 1 }: LeadershipOptions): string =>
  `coordinators with another number of shards lead now; this coordinator (SCRAPER_SHARDS=${shards}) waits until they have ended; set the same number in every process`

/** A guard for the writes of a leader: they fail if there is a newer token. */
export const leaderGuard = (name: string, token: number): WriteGuard => ({
  text: 'SELECT token FROM leaders WHERE name = $1 AND token = $2 FOR SHARE',
  values: [name, token],
  failure: () =>
    new Failure('lease.lost', `another coordinator leads ${name} now; this coordinator stops writing`, {
      name,
    }),
})

type NoTurn = 'taken' | 'other-number'

async function tryToLead({ url, name, shards = 1 }: LeadershipOptions): Promise<Term | NoTurn> {
  const { default: pg } = await loadFor('cluster', () => import('pg'))
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
    application_name: `kscrape ${name}`,
    keepAlive: true,
  })
  const lost = new AbortController()
  client.on('error', () => lost.abort())
  client.on('end', () => lost.abort())
  try {
    await client.connect()
    const turn = await tokenFor(client, name, shards)
    if (typeof turn === 'number') return new SessionTerm(client, turn, lost)
    await close(client)
    return turn
  } catch (error) {
    await close(client)
    throw error
  }
}

/** Takes a new fencing token. Only one process at a time can do this, so no process with another shard count starts meanwhile. */
async function tokenFor(client: Client, name: string, shards: number): Promise<number | NoTurn> {
  await client.query('BEGIN')
  // If this process hangs inside the transaction, the database ends the session, so that other processes can continue.
  await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${answerWithinMs}`)
  const place = await placeOf(client)
  await client.query('SELECT pg_advisory_xact_lock($1)', [place.number])
  const turn = await takeTurn(client, { name, shards, ...place })
  await client.query('COMMIT')
  return turn
}

interface Place {
  /** The schema is part of the lock. A database may contain several clusters, one per schema, but its advisory locks belong
   *  to the whole database. */
  schema: string
  /** The first number of a two-number advisory lock. The second is the holder's shard count. */
  number: number
}

async function placeOf(client: Client): Promise<Place> {
  const { rows } = await client.query<Place>(
    `SELECT schema, hashtext('kscrape.shards.' || schema) & 2147483647 AS number
     FROM (SELECT coalesce(current_schema(), '') AS schema) AS here`,
  )
  return rows[0]!
}

async function takeTurn(
  client: Client,
  { name, shards, schema, number }: Place & { name: string; shards: number },
): Promise<number | NoTurn> {
  const others = await client.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND classid = $1 AND objid <> $2
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1`,
    [number, shards],
  )
  if (others.rows.length > 0) return 'other-number'
  const lock = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock(hashtext($1)) AS got', [
    `kscrape.${schema}.${name}`,
  ])
  if (!lock.rows[0]?.got) return 'taken'
  await client.query('SELECT pg_advisory_lock_shared($1, $2)', [number, shards])
  // Without this timeout, a dead connection is noticed only after hours.
  await client.query(`SET idle_session_timeout = ${longestSilenceMs}`)
  // Invalidates the tokens of leaders with another shard count.
  await client.query('UPDATE leaders SET token = token + 1, shards = $1 WHERE shards <> $1', [shards])
  const { rows } = await client.query<{ token: string }>(
    `INSERT INTO leaders (name, token, shards) VALUES ($1, 1, $2)
     ON CONFLICT (name) DO UPDATE SET token = leaders.token + 1 RETURNING token`,
    [name, shards],
  )
  return Number(rows[0]!.token)
}

class SessionTerm implements Term {
  readonly token: number
  readonly #client: Client
  readonly #lost: AbortController
  readonly #watch: NodeJS.Timeout

  constructor(client: Client, token: number, lost: AbortController) {
    this.#client = client
    this.token = token
    this.#lost = lost
    this.#watch = setInterval(() => void this.#look(), lookEveryMs)
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async #look(): Promise<void> {
    await this.#client.query('SELECT 1').catch(() => this.#lost.abort())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#watch)
    await close(this.#client)
  }
}

/** Closes the session. An unavailable database does not confirm the close, so the wait is limited. */
const close = (client: Client): Promise<boolean> => settledWithin(client.end(), longestCloseMs)
