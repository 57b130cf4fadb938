// A pool of connections to PostgreSQL. Statements are prepared once per connection, and transactions are retried after lock
// conflicts.
import type { Pool, PoolClient, QueryResultRow } from 'pg'
import { loadFor } from '../../lib/optional-packages.ts'
import { settledWithin } from '../../lib/settled-within.ts'
import { asDatabaseFailure, collided } from './failures.ts'
import { guardedRole, workspaceSetting } from './workspace-guard.ts'

export interface DatabaseOptions {
  url: string
  /** Maximum number of connections of this process. */
  connections?: number
  /** Maximum wait for a connection, and maximum duration of one statement, in milliseconds. */
  connectMs?: number
  statementMs?: number
  /** Timeout of a server that does not respond, in milliseconds; 0 means none. Pipelined statements wait for each other, so this
   *  timeout is longer than the server's statement timeout. */
  answerMs?: number
  /** A condition for every write. It is checked and locked in the same transaction. */
  guard?: WriteGuard
  /** Returns the workspace of the current query. Row-level security hides all other workspaces (`workspace-guard.ts`). Without
   *  this function, all rows are visible. */
  workspace?: () => string
}

export interface WriteGuard {
  /** SQL that returns and locks a row if the condition is true. */
  text: string
  values: unknown[]
  failure: () => Error
}

/** Executes statements: the pool, or a transaction. */
export interface Queries {
  all<Row extends QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]>
  one<Row extends QueryResultRow>(text: string, ...values: unknown[]): Promise<Row | null>
  /** Returns the number of changed rows. */
  run(text: string, ...values: unknown[]): Promise<number>
  /** Runs several statements without parameters. Only for SQL that contains no user text. */
  script(text: string): Promise<void>
}

/** Statements of a transaction are sent without waiting and run in order. So independent statements cost one round trip
 *  together. */
export interface Transaction extends Queries {
  /** Sends a statement whose result is not needed. If it fails, the transaction fails. */
  send(text: string, ...values: unknown[]): void
}

/** Maximum number of attempts for a transaction that fails because of lock conflicts. */
const mostTries = 5
/** Maximum wait for running statements when the pool closes. The wait ends earlier if they end. */
const longestCloseMs = 1_000
/** The response timeout of a connection, as a multiple of the statement timeout. */
const responseFactor = 4
/** Start of TCP probes. A machine that disappeared is noticed about ten seconds after the first probe. */
const probeAfterMs = 10_000
const int8 = 20

export class Database implements Queries, AsyncDisposable {
  readonly #pool: Pool
  readonly #names = new Map<string, string>()
  readonly #guard: WriteGuard | null
  readonly #workspace: (() => string) | null
  /** The workspace that was last set on each connection. */
  readonly #told = new WeakMap<PoolClient, string>()

  private constructor(pool: Pool, { guard, workspace }: DatabaseOptions) {
    this.#pool = pool
    this.#guard = guard ?? null
    this.#workspace = workspace ?? null
  }

  static async open(options: DatabaseOptions): Promise<Database> {
    const { url, connections = 8, connectMs = 5_000, statementMs = 30_000 } = options
    const { answerMs = responseFactor * statementMs } = options
    const { default: pg } = await loadFor('cluster', () => import('pg'))
    const pool = new pg.Pool({
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: connectMs,
      statement_timeout: statementMs,
      query_timeout: answerMs,
      ...{ keepAlive: true, keepAliveInitialDelayMillis: probeAfterMs },
      idle_in_transaction_session_timeout: statementMs,
      application_name: 'kscrape',
      pipeline: true,
      ...(options.workspace && { verify: takeOnRole }),
      // 64-bit integers are parsed as numbers, because ours are far below 2^53. Keys with 64 bits are selected as text.
      types: {
        getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
      },
    })
    // A broken idle connection is replaced with the next query. Without a listener, the error would crash the process.
    pool.on('error', () => {})
    // Without a listener, an error of a connection in use would crash the process. The next query on the connection reports
    // the error.
    pool.on('connect', client => void client.on('error', () => {}))
    return new Database(pool, options)
  }

  all<Row extends QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return this.#guarded(() => this.#ask(queries => queries.all<Row>(text, ...values)))
  }

  one<Row extends QueryResultRow>(text: string, ...values: unknown[]): Promise<Row | null> {
    return this.#guarded(() => this.#ask(queries => queries.one<Row>(text, ...values)))
  }

  run(text: string, ...values: unknown[]): Promise<number> {
    if (this.#guard) return this.transaction(queries => queries.run(text, ...values))
    return this.#guarded(() => this.#ask(queries => queries.run(text, ...values)))
  }

  /** The transaction is atomic, and durable when the promise resolves. `work` may run several times, so it must have no side
   *  effects. */
  transaction<Result>(work: (queries: Transaction) => Promise<Result>): Promise<Result> {
    return this.#guarded(async () => {
      for (let tries = 1; ; tries += 1)
        try {
          return await this.#attempt(work)
        } catch (error) {
          if (!collided(error) || tries === mostTries) throw error
        }
    })
  }

  async #attempt<Result>(work: (queries: Transaction) => Promise<Result>): Promise<Result> {
    const client = await this.#connect()
    const sent = new SentStatements()
    try {
      sent.add(client.query('BEGIN'))
      const queries = this.#queries(client)
      const guarded = this.#guard ? holdGuard(queries, this.#guard) : Promise.resolve()
      // `guarded` is awaited at the end. Until then its rejection must not count as unhandled.
      guarded.catch(() => {})
      const send = (text: string, ...values: unknown[]) => sent.add(queries.run(text, ...values))
      const result = await work({ ...queries, send })
      await guarded
      // COMMIT is sent after all statements. If one of them failed, the server rolls back instead.
      sent.add(client.query('COMMIT'))
      await sent.done()
      client.release()
      return result
    } catch (error) {
      // A connection that cannot roll back is broken, so the pool discards it.
      const broken = await client.query('ROLLBACK').then(
        () => false,
        () => true,
      )
      client.release(broken)
      throw await sent.causeOf(error)
    }
  }

  async #ask<Result>(question: (queries: Queries) => Promise<Result>): Promise<Result> {
    if (!this.#workspace) return question(this.#queries(this.#pool))
    const client = await this.#connect()
    try {
      return await question(this.#queries(client))
    } finally {
      client.release()
    }
  }

  /** A connection on which the workspace of the current query is set. */
  async #connect(): Promise<PoolClient> {
    const client = await this.#pool.connect()
    const workspace = this.#workspace?.()
    if (workspace === undefined || this.#told.get(client) === workspace) return client
    try {
      await client.query('SELECT set_config($1, $2, false)', [workspaceSetting, workspace])
      this.#told.set(client, workspace)
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  #queries(client: Pool | PoolClient): Queries {
    const ask = <Row extends QueryResultRow>(text: string, values: unknown[]) =>
      client.query<Row>({ name: this.#nameOf(text), text, values })
    return {
      all: async <Row extends QueryResultRow>(text: string, ...values: unknown[]) =>
        (await ask<Row>(text, values)).rows,
      one: async <Row extends QueryResultRow>(text: string, ...values: unknown[]) =>
        (await ask<Row>(text, values)).rows[0] ?? null,
      run: async (text, ...values) => (await ask(text, values)).rowCount ?? 0,
      script: async text => void (await client.query(text)),
    }
  }

  /** The name of a prepared statement. Statement texts are few and fixed, so each connection prepares them once. */
  #nameOf(text: string): string {
    const known = this.#names.get(text)
    if (known) return known
    const name = `k${this.#names.size}`
    this.#names.set(text, name)
    return name
  }

  async #guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      throw asDatabaseFailure(error)
    }
  }

  script(text: string): Promise<void> {
    return this.#guarded(() => this.#queries(this.#pool).script(text))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await settledWithin(this.#pool.end(), longestCloseMs)
  }
}

function takeOnRole(client: PoolClient, done: (error?: Error) => void): void {
  client.query(`SET ROLE ${guardedRole}`).then(() => done(), done)
}

/** Collects the results of sent statements, in order. */
class SentStatements {
  readonly #answers: Promise<unknown>[] = []

  add(answer: Promise<unknown>): void {
    answer.catch(() => {})
    this.#answers.push(answer)
  }

  async done(): Promise<void> {
    await Promise.all(this.#answers)
  }

  /** The real error. After a failed statement, the errors of later statements only say that the transaction failed. */
  async causeOf(error: unknown): Promise<unknown> {
    if (!isAfterFailed(error)) return error
    const answers = await Promise.allSettled(this.#answers)
    const failed = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []))
    return failed.find(reason => !isAfterFailed(reason)) ?? error
  }
}

const isAfterFailed = (error: unknown): boolean =>
  error instanceof Error && (error as Error & { code?: string }).code === '25P02'

async function holdGuard(queries: Queries, { text, values, failure }: WriteGuard): Promise<void> {
  if ((await queries.one(text, ...values)) === null) throw failure()
}
