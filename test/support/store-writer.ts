// A process that runs a simulated crawl job in a store as fast as it can, and prints which tasks were committed.
// test/system/store-kill.test.ts kills this process.
import { writeSync } from 'node:fs'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import type { LeasedTask, NewTask } from '../../src/model/task.ts'
import { discoveryOf, host, newRecord, newTask, settlementOf } from '../contracts/store/fixtures.ts'

const [path, owner] = process.argv.slice(2) as [string, string]
const store = await openSqliteStore({ path, clock: systemClock })
await store.tasks.reclaim({ now: Date.now(), exceptOwner: owner, poisonAfter: 1_000 })

/** Every task links to two others, some of which exist. */
const linksOf = ({ n }: LeasedTask): NewTask[] => [
  newTask(n * 2, { parent: n }),
  newTask(n * 2 + 1, { parent: n }),
]

for (;;) {
  const lease = { owner, untilMs: Date.now() + 60_000, state: 'in_progress' } as const
  const tasks = await store.tasks.claim([{ jobId: 'job', host, limit: 50 }], lease)
  const settlements = tasks.map(task => settlementOf(task, { records: [newRecord(0), newRecord(1)] }))
  const discovered = tasks.map(task => discoveryOf(task, { tasks: linksOf(task) }))
  await store.commit({ owner, settlements, discovered, hosts: [] })
  // Writes without a buffer, after the commit. So every printed task was committed, even if the
  // process is killed right afterwards.
  writeSync(1, tasks.map(({ n }) => `${n}\n`).join(''))
}
