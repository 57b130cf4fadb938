// Tests the metrics about the roles of one process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { streams } from '../../model/cluster-messages.ts'
import type { Backlog } from '../../ports/backlog.ts'
import type { StreamContents } from '../../ports/stream-contents.ts'
import type { Running } from './role.ts'
import { agesIn, runnableIn } from './role-health.ts'

const work = { http: 3, browser: 1, process: 2, ingest: 0 }
const backlog = {
  read: async () => ({ http: 9, browser: 9, process: 9, ingest: 7 }),
  soon: async () => ({}),
} as unknown as Backlog
const role = (fields: object) => fields as unknown as Running

test('only a leading process reports runnable tasks; the number of files to ingest comes from the store', async () => {
  assert.equal(await runnableIn(backlog, [role({}), role({ leads: () => false })]), undefined)
  const leader = role({ leads: () => true, runnable: () => work })
  assert.deepEqual(await runnableIn(backlog, [role({ runnable: () => null }), leader]), {
    ...work,
    ingest: 7,
  })
})

test('a leader that has not counted its work yet reports no number', async () => {
  assert.equal(await runnableIn(backlog, [role({ leads: () => true, runnable: () => null })]), undefined)
})

test('the age of the oldest work is reported in seconds, for each stream', async () => {
  const ages = new Map([
    [streams.http, 1_500],
    [streams.browser, 0],
    [streams.process, 250],
    [streams.ingest, 60_000],
  ])
  const contents = {
    waitingMs: async (stream: string) => ages.get(stream as never)!,
  } as unknown as StreamContents
  assert.deepEqual(await agesIn(contents), { http: 1.5, browser: 0, process: 0.25, ingest: 60 })
})
