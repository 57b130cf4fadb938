// Tests how diagnoses and profiles are requested from the processes of a cluster.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MapBlobs } from '../../../test/support/results-parts.ts'
import type { Calls } from '../../ports/calls.ts'
import { distantWorkers, processOf } from './diagnose-workers.ts'

test('the names of all roles of a process contain the name of the process', () => {
  for (const role of ['coordinator', 'processor', 'ingest', 'http-worker', 'browser-worker', 'api'])
    assert.equal(processOf(`${role}-node-7-4711-2`), 'node-7-4711', role)
  assert.equal(processOf('node-7-4711'), 'node-7')
})

test('a diagnosis is requested from the process that runs the role', async () => {
  const asked: unknown[] = []
  const calls = {
    ask: async (...given: unknown[]) => {
      asked.push(given.slice(0, 2))
      return 'the report'
    },
  } as unknown as Calls
  assert.equal(await distantWorkers(calls, new MapBlobs()).report('http-worker-a-1-2'), 'the report')
  assert.deepEqual(asked, [['diagnose.a-1', { say: 'report' }]])
})

test('a profile is read from the bucket and deleted there, even if the reader stops early', async () => {
  const blobs = new MapBlobs()
  const limits: number[] = []
  const calls = {
    ask: async (_name: string, question: { key: string }, { withinMs }: { withinMs: number }) => {
      limits.push(withinMs)
      await blobs.put(question.key, Buffer.from('profile'))
    },
  } as unknown as Calls
  const workers = distantWorkers(calls, blobs)
  const chunks = await Array.fromAsync(await workers.profile('api-a-1-2', { kind: 'cpu', seconds: 30 }))
  assert.equal(Buffer.concat(chunks).toString(), 'profile')
  assert.equal(blobs.objects.size, 0)
  for await (const _chunk of await workers.profile('api-a-1-2', { kind: 'heap' })) break
  assert.equal(blobs.objects.size, 0)
  assert.equal(limits[0]! - limits[1]!, 30_000, 'the time of the measurement is added')
})
