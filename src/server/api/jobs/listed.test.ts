// Tests which counts and live metrics the jobs of a list have.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, jobOf } from '../../../../test/support/job-values.ts'
import { JobLister } from './listed.ts'

function listerWith() {
  const asked: string[] = []
  const parts = {
    store: { jobs: { counts: async () => countsOf({ tasks: 7 }) } },
    engine: {
      progress: async (jobId: string) => {
        asked.push(jobId)
        return { inFlight: 2, waiting: [{ reason: 'breaker', tasks: 3, hosts: 1, nextAt: 1_000 }] }
      },
    },
  }
  return { asked, lister: new JobLister({ parts } as never, { of: () => 1.2345 } as never) }
}
const running = jobOf({ state: 'running', finishedAt: null })

test('a job has counts and live metrics only on request', async () => {
  const { lister, asked } = listerWith()
  const plain = await lister.show(running, '', { counts: false, live: false })
  assert.deepEqual(['counts' in plain, 'live' in plain, asked], [false, false, []])
  const full = await lister.show(running, '', { counts: true, live: true })
  assert.equal(full.counts?.tasks, 7)
  assert.deepEqual([full.live?.tasksPerSecond, full.live?.inFlight], [1.23, 2])
  assert.equal(full.live?.waiting[0]?.nextAt, '1970-01-01T00:00:01.000Z')
})

test('the engine gets no request about a job that has ended', async () => {
  const { lister, asked } = listerWith()
  const { live } = await lister.show(jobOf(), '', { counts: false, live: true })
  assert.deepEqual([live?.tasksPerSecond, live?.inFlight, live?.waiting, asked], [0, 0, [], []])
})
