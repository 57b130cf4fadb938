// Leadership by an advisory lock: held by a session of its own, so that it ends with the process, however that ends.
import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'
import { Failure } from '../../model/failures.ts'
import type { Leadership, Term } from '../../ports/leadership.ts'
import type { WriteGuard } from './database.ts'

/** How often a standby asks, and how often a leader makes sure that its session is still there. */
const lookEveryMs = 1_000
/** A session that does not answer is lost: another one may lead already. */
const answerWithinMs = 3_000

/** `name` tells apart what is led: one leader each. */
export const openLeadership = (url: string, name: string): Leadership => ({
  async lead(signal) {
    while (!signal.aborted) {
      const term = await tryToLead(url, name).catch(() => null)
      if (term) return term
      await wait(lookEveryMs, undefined, { signal }).catch(() => {})
    }
    return null
  },
})

/** What a leader writes with: none of it counts once there is a newer token. */
export const leaderGuard = (name: string, token: number): WriteGuard => ({
  text: 'SELECT token FROM leaders WHERE name = $1 AND token = $2 FOR SHARE',
  values: [name, token],
  failure: () =>
    new Failure('lease.lost', `another coordinator leads ${name} by now; this one stops writing`, { name }),
})

async function tryToLead(url: string, name: string): Promise<Term | null> {
  const { default: pg } = await import('pg')
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
    const token = await tokenFor(client, name)
    if (token !== null) return new SessionTerm(client, token, lost)
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
  await client.end()
  return null
}

/** Null while somebody else leads. */
async function tokenFor(client: Client, name: string): Promise<number | null> {
  const lock = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock(hashtext($1)) AS got', [
    `kscrape.${name}`,
  ])
  if (!lock.rows[0]?.got) return null
  const { rows } = await client.query<{ token: string }>(
    `INSERT INTO leaders (name, token) VALUES ($1, 1)
     ON CONFLICT (name) DO UPDATE SET token = leaders.token + 1 RETURNING token`,
    [name],
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
    await this.#client.end().catch(() => {})
  }
}
