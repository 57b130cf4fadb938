// A pool of connections to PostgreSQL: statements prepared once per connection, transactions tried again when they collide.
import type { Pool, PoolClient, QueryResultRow } from 'pg'
import { settledWithin } from '../../lib/settled-within.ts'
import { asDatabaseFailure, collided } from './failures.ts'
import { guardedRole, workspaceSetting } from './workspace-guard.ts'

export interface DatabaseOptions {
  url: string
  /** Connections of this process. */
  connections?: number
  /** Longest wait for a connection, and for one statement. */
  connectMs?: number
  statementMs?: number
  /**
   * Longest wait for an answer of a server that fell silent; 0 is for ever. Statements on their way wait for each other, so it is
   * longer than the server lets one of them take.
   */
  answerMs?: number
  /** What must hold for anything to be written: looked at in the same transaction, and kept true until its end. */
  guard?: WriteGuard
  /** On whose behalf each question is asked: the database shows nothing else (`workspace-guard.ts`). Without it, everything. */
  workspace?: () => string
}

export interface WriteGuard {
  /** Gives a row as long as it holds, and locks it. */
  text: string
  values: unknown[]
  failure: () => Error
}

/** What a statement can be asked of: the pool, or a transaction of it. */
export interface Queries {
  all<Row extends QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]>
  one<Row extends QueryResultRow>(text: string, ...values: unknown[]): Promise<Row | null>
  /** How many rows were changed. */
  run(text: string, ...values: unknown[]): Promise<number>
  /** Several statements at once, without values: only what we wrote ourselves. */
  script(text: string): Promise<void>
}

/**
 * What is asked in a transaction goes out at once, whatever is still unanswered before it, and is done in that order: questions that
 * do not wait for each other cost one round trip together.
 */
export interface Transaction extends Queries {
  /** A statement whose outcome nobody needs before the end. If it fails, so does the transaction. */
  send(text: string, ...values: unknown[]): void
}

/** Transactions that met another one's locks are run again so often. */
const mostTries = 5
/** What is under way when it closes may end; a database that does not answer is not waited for. */
const longestCloseMs = 1_000
/** In statements. */
const patience = 4
/** A machine that is gone is noticed some ten seconds later. */
const probeAfterMs = 10_000
const int8 = 20

export class Database implements Queries, AsyncDisposable {
  readonly #pool: Pool
  readonly #names = new Map<string, string>()
  readonly #guard: WriteGuard | null
  readonly #workspace: (() => string) | null
  /** What each connection was told last. */
  readonly #told = new WeakMap<PoolClient, string>()

  private constructor(pool: Pool, { guard, workspace }: DatabaseOptions) {
    this.#pool = pool
    this.#guard = guard ?? null
    this.#workspace = workspace ?? null
  }

  static async open(options: DatabaseOptions): Promise<Database> {
    const { url, connections = 8, connectMs = 5_000, statementMs = 30_000 } = options
    const { answerMs = patience * statementMs } = options
    const { default: pg } = await import('pg')
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
      // Counts, times and numbers of ours are far below 2^53; the 64-bit keys are asked for as text.
      types: {
        getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
      },
    })
    // A connection that is cut while it rests is replaced with the next question; without a listener the process would end.
    pool.on('error', () => {})
    // The same of one that is in use: whoever uses it hears of it with the next answer.
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

  /** All of it or nothing; durable when it resolves. `work` may run several times, so it touches nothing outside. */
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
      // Heard of below; until then it is nobody's.
      guarded.catch(() => {})
      const send = (text: string, ...values: unknown[]) => sent.add(queries.run(text, ...values))
      const result = await work({ ...queries, send })
      await guarded
      // Behind what was sent: if any of that fails, the server takes it for a rollback.
      sent.add(client.query('COMMIT'))
      await sent.done()
      client.release()
      return result
    } catch (error) {
      // A connection that can't roll back is of no use to anyone.
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

  /** One that knows on whose behalf it is asked. */
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

  /** Statements are few and fixed, so each connection parses and plans them once. */
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

/** Answers that come later, in the order of the questions. */
class SentStatements {
  readonly #answers: Promise<unknown>[] = []

  add(answer: Promise<unknown>): void {
    answer.catch(() => {})
    this.#answers.push(answer)
  }

  async done(): Promise<void> {
    await Promise.all(this.#answers)
  }

  /** What comes after a failed statement only says that one failed. */
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
