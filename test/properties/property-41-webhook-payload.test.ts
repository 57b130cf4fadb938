// Property 41: a job of up to 100 tasks is told of with all its results, a larger one by its summary.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../src/lib/clocks.ts'
import type { Job } from '../../src/model/job.ts'
import { endingWebhooks } from '../../src/pipeline/coordinate/notify-job-end.ts'
import {
  claim,
  failure,
  newJob,
  newRecord,
  newTasks,
  settle,
  settlementOf,
} from '../contracts/store/fixtures.ts'
import { MapBlobs } from '../support/results-parts.ts'
import { openTemporaryStore } from '../support/temporary-store.ts'

interface Told {
  job_id: string
  status: string
  summary: Record<string, unknown> & { by_state: Record<string, number>; results_left_out?: string }
  results: Array<{ status: string; data?: unknown; error?: unknown }> | null
}

/** What would be told of a job whose tasks went well or failed, in this order. */
async function told(outcomes: boolean[]): Promise<Told> {
  const clock = new FakeClock()
  await using opened = await openTemporaryStore(clock)
  const { store } = opened
  const job = newJob()
  job.spec.webhookUrl = 'https://hook.example/'
  await store.jobs.create(job, newTasks(outcomes.length))
  const held = await claim(store, clock)
  const settled = held.map((task, index) =>
    outcomes[index] ? settlementOf(task, { records: [newRecord()] }) : failure(task),
  )
  await settle(store, ...settled)
  const ended = (await store.jobs.get('job')) as Job
  const ending = { job: ended, state: 'completed', reason: null, at: clock.now() } as const
  const [webhook] = await endingWebhooks({ store, blobs: new MapBlobs() }, ending, undefined)
  return JSON.parse(webhook!.body) as Told
}

const outcomes = (minLength: number, maxLength: number) => fc.array(fc.boolean(), { minLength, maxLength })

test('property 41: up to 100 tasks, every record and every failure is in the results', async () => {
  await fc.assert(
    fc.asyncProperty(outcomes(1, 100), async tasks => {
      const { job_id, status, summary, results } = await told(tasks)
      assert.deepEqual([job_id, status, summary.tasks], ['job', 'completed', tasks.length])
      assert.equal(results?.length, tasks.length)
      assert.equal(results.filter(({ data }) => data !== undefined).length, tasks.filter(Boolean).length)
      assert.equal(results.filter(({ error }) => error !== undefined).length, tasks.filter(ok => !ok).length)
    }),
    { numRuns: 12 },
  )
})

test('property 41: beyond 100 tasks there is the summary, and where the results are', async () => {
  await fc.assert(
    fc.asyncProperty(outcomes(101, 250), async tasks => {
      const { summary, results } = await told(tasks)
      assert.equal(results, null)
      assert.equal(summary.by_state.failed, tasks.filter(ok => !ok).length)
      assert.match(summary.results_left_out!, /more than 100 tasks; GET \/jobs\/job\/results/)
    }),
    { numRuns: 6 },
  )
})

for (const count of [100, 101])
  test(`property 41: the border is between 100 and 101 tasks (${count})`, async () => {
    const { results } = await told(Array.from({ length: count }, () => true))
    assert.equal(results === null, count > 100)
  })
