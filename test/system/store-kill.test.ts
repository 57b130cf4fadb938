// Kills a writing process repeatedly: everything that it reported as committed must exist, completely, and once.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import type { Store } from '../../src/ports/store.ts'
import { newJob, newTask } from '../contracts/store/fixtures.ts'

const rounds = 10
const directory = mkdtempSync(join(tmpdir(), 'kscrape-kill-'))
after(() => rmSync(directory, { recursive: true }))

const path = join(directory, 'store.sqlite')
const writer = new URL('../support/store-writer.ts', import.meta.url).pathname

/**
 * Lets a writer commit a few groups, kills it during the next one, and returns the tasks that it reported as committed.
 */
async function runAndKill(round: number): Promise<number[]> {
  const child = spawn(process.execPath, [writer, path, `writer-${round}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  let groups = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    groups += 1
    // Waits a different number of milliseconds in each round, so that the kills hit every part of a commit.
    if (groups === 3 + round) setTimeout(() => child.kill('SIGKILL'), round % 5)
  })
  await once(child, 'close')
  assert.equal(child.signalCode, 'SIGKILL')
  return said.trimEnd().split('\n').map(Number)
}

function checkIntegrity(): void {
  const database = new DatabaseSync(path)
  assert.equal(database.prepare('PRAGMA integrity_check').get()!.integrity_check, 'ok')
  database.close()
}

async function checkKept(store: Store, acknowledged: Set<number>): Promise<void> {
  const tasks = await store.tasks.list('job', { limit: 1_000_000 })
  const records = await store.records.list('job', { after: 0, limit: 1_000_000 })
  const recordsOf = Map.groupBy(records, ({ n }) => n)
  for (const { n, state, attempt } of tasks) {
    const done = state === 'succeeded'
    assert.ok(done || !acknowledged.has(n), `task ${n} was reported as committed and is ${state}`)
    assert.equal(recordsOf.get(n)?.length ?? 0, done ? 2 : 0, `records of task ${n}`)
    if (done) assert.equal((await store.tasks.attempts('job', n)).at(-1)?.attempt, attempt)
  }
  const counts = await store.jobs.counts('job')
  assert.equal(counts.tasks, tasks.length)
  assert.equal(counts.records, records.length)
  assert.equal(counts.byState.succeeded, tasks.filter(({ state }) => state === 'succeeded').length)
}

test(`after each of ${rounds} kills the store is intact and no acknowledged write is lost or duplicated`, async () => {
  const store = await openSqliteStore({ path, clock: systemClock })
  await store.jobs.create(newJob(), [newTask(1)])
  await store[Symbol.asyncDispose]()
  const acknowledged = new Set<number>()
  for (let round = 0; round < rounds; round += 1) {
    for (const n of await runAndKill(round)) acknowledged.add(n)
    checkIntegrity()
    await using reopened = await openSqliteStore({ path, clock: systemClock })
    await checkKept(reopened, acknowledged)
  }
  assert.ok(acknowledged.size > 100)
})
