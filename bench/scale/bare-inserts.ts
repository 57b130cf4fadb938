// The upper bound of an ingest: the same rows in the same tables with prepared inserts, in the same number of durable transactions.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import { systemClock } from '../../src/lib/clocks.ts'

/** The number of rows in a transaction of an ingest. */
const batch = 5_000

export async function bareInserts(
  directory: string,
  urlOf: (row: number) => string,
  rows: number,
): Promise<{ seconds: number; cpuSeconds: number; lastToFirst: number }> {
  const path = join(directory, 'bare', 'store.sqlite')
  rmSync(join(directory, 'bare'), { recursive: true, force: true })
  mkdirSync(join(directory, 'bare'), { recursive: true })
  await (await openSqliteStore({ path, clock: systemClock }))[Symbol.asyncDispose]()
  using database = new DatabaseSync(path)
  database.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 32000; PRAGMA cache_size = -32768')
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const endedAt = insertAll(database, urlOf, rows)
  const { user, system } = process.cpuUsage(cpuBefore)
  const tenth = Math.floor(endedAt.length / 10)
  const firstMs = endedAt[tenth - 1]! - startedAt
  const lastMs = endedAt.at(-1)! - endedAt.at(-1 - tenth)!
  return {
    seconds: (endedAt.at(-1)! - startedAt) / 1_000,
    cpuSeconds: (user + system) / 1_000_000,
    lastToFirst: firstMs / lastMs,
  }
}

/** Returns when each transaction ended. */
function insertAll(database: DatabaseSync, urlOf: (row: number) => string, rows: number): number[] {
  const endedAt: number[] = []
  const enter = database.prepare('INSERT INTO seen (job_no, space, key, n) VALUES (1, 0, ?, ?)')
  const insert = database.prepare(
    'INSERT INTO tasks (job_no, n, host, kind, depth, priority, url) VALUES (1, ?, 1, 0, 0, 0, ?)',
  )
  for (let first = 1; first <= rows; first += batch) {
    database.exec('BEGIN IMMEDIATE')
    for (let n = first; n < first + batch && n <= rows; n++) {
      enter.run(keyOf(n), n)
      insert.run(n, urlOf(n))
    }
    database.exec('COMMIT')
    endedAt.push(performance.now())
  }
  return endedAt
}

/** A key that is spread over all 64 bits like a hash, and never repeats. */
function keyOf(n: number): bigint {
  return BigInt.asIntN(64, BigInt(n) * 0x9e3779b97f4a7c15n)
}
