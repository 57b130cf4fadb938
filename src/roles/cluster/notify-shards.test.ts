// Tests which coordinators are notified of a settled task.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shardOf } from '../../lib/shard-of.ts'
import type { SettledTask } from '../../model/cluster-messages.ts'
import { homeOf } from '../../pipeline/coordinate/shards.ts'
import type { Calls } from '../../ports/calls.ts'
import { coordinatorOf } from './messages.ts'
import { answeredByShard, askAll, groupsByShard, notifyAll } from './notify-shards.ts'

const shards = 4
const job = { id: 'job-1', spec: { urls: ['https://a.example/'] } } as unknown as Parameters<typeof homeOf>[0]
const home = homeOf(job, shards)
const names = Array.from({ length: 50 }, (_, n) => `h${n}.example`)
const hostAt = (shard: number) => names.find(name => shardOf(name, shards) === shard)!
const hostElsewhere = hostAt((home + 1) % shards)
const outcome = (n: number) => ({ jobId: 'job-1', n }) as unknown as SettledTask

test('the leader of the host is notified of an ended task, and the leader that ends the job gets a copy', () => {
  const groups = groupsByShard([{ outcome: outcome(1), host: hostElsewhere, job }], [], shards)
  assert.deepEqual(groups.get((home + 1) % shards)?.tasks, [outcome(1)])
  assert.deepEqual(groups.get(home)?.tasks, [{ ...outcome(1), isElsewhere: true }])
  assert.equal(groups.size, 2)
})

test('if one leader both leads the host and ends the job, it is notified once', () => {
  const groups = groupsByShard([{ outcome: outcome(1), host: hostAt(home), job }], [], shards)
  assert.deepEqual([...groups], [[home, { tasks: [outcome(1)], added: [] }]])
})

test('new tasks are reported to the leader of their host and to the leader that ends the job', () => {
  const work = { jobId: 'job-1', host: hostElsewhere, count: 2 } as never
  const groups = groupsByShard([{ outcome: outcome(1), host: hostAt(home), job }], [work], shards)
  assert.deepEqual(groups.get((home + 1) % shards)?.added, [work])
  assert.deepEqual(groups.get(home)?.added, [work])
  const own = groupsByShard([], [work], shards)
  assert.deepEqual([...own.keys()], [(home + 1) % shards])
})

test('responses are grouped by the leader of their host', () => {
  const tasks = names.map((host, n) => ({ host, n }) as never)
  const groups = answeredByShard(tasks, shards)
  assert.equal([...groups.values()].flat().length, names.length)
  for (const [shard, own] of groups)
    for (const { host } of own as unknown as Array<{ host: string }>)
      assert.equal(shardOf(host, shards), shard)
})

test('every leader is notified, and the results leave out leaders that do not answer', async () => {
  const told: string[] = []
  const calls = {
    tell: async (name: string) => void told.push(name),
    ask: async (name: string) => {
      if (name === coordinatorOf(2)) throw new Error('nobody leads')
      return name
    },
  } as unknown as Calls
  await notifyAll(calls, shards, { say: 'conduct-changed' })
  assert.deepEqual(told, [0, 1, 2, 3].map(coordinatorOf))
  assert.equal(new Set(told).size, shards)
  const answers = await askAll(calls, shards, { say: 'runnable' }, {} as never)
  assert.deepEqual(answers, [0, 1, 3].map(coordinatorOf))
})
