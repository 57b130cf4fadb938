// Tests how a job is submitted for a caller: repeated requests, ids in use, and limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../test/support/job-values.ts'
import type { Caller } from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import { givenSpec, type Job } from '../model/job.ts'
import { idempotencyKeyOf, refuseBeyondLimits, submitFor } from './submit.ts'

const caller = (change: Partial<Caller> = {}): Caller => ({
  ...{ keyId: 'key-1', workspace: 'team', scopes: ['read', 'submit'], limits: {}, workspaces: [], ...change },
})
const spec = givenSpec.parse({ urls: ['https://a.example/'] })

function serverWith({ jobs = [], refuses, load }: { jobs?: Job[]; refuses?: Failure; load?: object } = {}) {
  const asked = new Map<string, { jobId: string; fingerprint: string }>()
  const submitted: unknown[] = []
  const stopping = new AbortController()
  const store = {
    jobs: {
      get: async (id: string) => jobs.find(job => job.id === id) ?? null,
      askedBefore: async (_workspace: string, key: string) => asked.get(key) ?? null,
      load: async () => load ?? { jobs: 0, tasks: 0 },
    },
  }
  const submit = async (_spec: unknown, options: { idempotency?: { key: string; fingerprint: string } }) => {
    if (refuses) throw refuses
    submitted.push(options)
    const job = jobOf({ id: `job-${submitted.length}`, workspace: 'team' })
    jobs.push(job)
    if (options.idempotency)
      asked.set(options.idempotency.key, { jobId: job.id, fingerprint: options.idempotency.fingerprint })
    return job
  }
  const parts = {
    engine: { submit },
    store,
    accepted: () => {},
    stopping: stopping.signal,
    clock: { now: () => 0 },
    hosts: { usualPace: { rate: 1, burst: 1 } },
    scrapers: { credentialsOf: () => [] },
  }
  return { submitted, stopping, server: { parts, settings: { consents: [], pii: 'keep' } } as never }
}
const by = (idempotencyKey?: string, asked?: unknown) => ({
  face: 'jobs' as const,
  idempotencyKey,
  ...(asked !== undefined && { asked }),
})

test('a repeated request gets its existing job, even if its key has reached its limit meanwhile', async () => {
  const { server, submitted } = serverWith({ load: { jobs: 1, tasks: 1 } })
  const first = await submitFor(server, caller(), spec, by('k'))
  const limited = caller({ limits: { concurrentJobs: 1 } })
  const again = await submitFor(server, limited, spec, by('k'))
  assert.deepEqual([first.isRepeated, again.isRepeated, again.job.id], [false, true, first.job.id])
  assert.equal(submitted.length, 1)
  await assert.rejects(submitFor(server, limited, spec, by('other')), { code: 'queue.full' })
})

test('an idempotency key that was used with another body or another API is refused', async () => {
  const { server } = serverWith()
  await submitFor(server, caller(), spec, by('k', { a: 1 }))
  await assert.rejects(submitFor(server, caller(), spec, by('k', { a: 2 })), { code: 'input.invalid' })
  await assert.rejects(submitFor(server, caller(), spec, { ...by('k', { a: 1 }), face: 'fetch' }), {
    code: 'input.invalid',
  })
})

test('an id that another workspace uses counts as taken, and the error reveals nothing about that job', async () => {
  const refuses = new Failure('job.exists', 'taken')
  const taken = (workspace: string) => {
    const named = { ...spec, jobId: 'mine' }
    const { server } = serverWith({ refuses, jobs: [jobOf({ id: 'mine', workspace })] })
    return submitFor(server, caller(), named, by())
  }
  await assert.rejects(taken('team'), { code: 'job.exists', message: /delete/ })
  await assert.rejects(
    taken('other'),
    (error: Failure) => error.code === 'job.exists' && !/delete/.test(error.message),
  )
})

test('a service that is stopping refuses new jobs, and answers a repeated request with its existing job', async () => {
  const { server, stopping, submitted } = serverWith()
  const first = await submitFor(server, caller(), spec, by('k'))
  stopping.abort()
  await assert.rejects(submitFor(server, caller(), spec, by('other')), { code: 'worker.stopping' })
  assert.equal((await submitFor(server, caller(), spec, by('k'))).job.id, first.job.id)
  assert.equal(submitted.length, 1)
})

test('a job is refused if its key has reached its limit of open jobs or open tasks', async () => {
  const { server } = serverWith({ load: { jobs: 2, tasks: 50 } })
  const limited = (limits: Caller['limits']) => refuseBeyondLimits(server, caller({ limits }))
  await limited({ concurrentJobs: 3, queueDepth: 51 })
  await assert.rejects(limited({ concurrentJobs: 2 }), {
    code: 'queue.full',
    message: /open jobs: 2 open, 2 allowed/,
  })
  await assert.rejects(limited({ queueDepth: 50 }), {
    code: 'queue.full',
    message: /open tasks: 50 open, 50 allowed/,
  })
})

test('an idempotency key is visible ASCII', () => {
  const keyOf = (key?: string) => idempotencyKeyOf({ headers: { 'idempotency-key': key } } as never)
  assert.deepEqual([keyOf(), keyOf('abc')], [undefined, 'abc'])
  for (const key of ['', 'a b', 'ü', 'x'.repeat(256)])
    assert.throws(() => keyOf(key), { code: 'input.invalid' }, key)
})
