// The contract of the store. Every adapter must pass all of these tests.
import { describe } from 'node:test'
import { activityPromises } from './store/activity.ts'
import { erasurePromises } from './store/erasure.ts'
import type { OpenStore } from './store/fixtures.ts'
import { itemChangePromises } from './store/item-changes.ts'
import { jobPromises } from './store/jobs.ts'
import { leasePromises } from './store/leases.ts'
import { hostPromises, identityPromises, recordPromises, sidePromises } from './store/results.ts'
import { retentionPromises } from './store/retention.ts'
import { answerPromises, replacePromises } from './store/reuse.ts'
import { searchPromises } from './store/search.ts'
import {
  conductPromises,
  keyPromises,
  originPromises,
  outboxPromises,
  schedulePromises,
  uploadPromises,
} from './store/service.ts'
import { shardPromises } from './store/shards.ts'
import { sinkPromises } from './store/sinks.ts'
import { taskPromises } from './store/tasks.ts'

/** `open` returns an empty store that no other test uses. */
export function storeContract(name: string, open: OpenStore): void {
  describe(`the store on ${name}`, () => {
    describe('jobs', () => jobPromises(open))
    describe('tasks', () => taskPromises(open))
    describe('leases', () => leasePromises(open))
    describe('records', () => recordPromises(open))
    describe('replaced records', () => replacePromises(open))
    describe('cached responses', () => answerPromises(open))
    describe('identities', () => identityPromises(open))
    describe('hosts', () => hostPromises(open))
    describe('outputs and requests', () => sidePromises(open))
    describe('origins of jobs', () => originPromises(open))
    describe('keys', () => keyPromises(open))
    describe('the outbox', () => outboxPromises(open))
    describe('schedules', () => schedulePromises(open))
    describe('uploads', () => uploadPromises(open))
    describe('conduct', () => conductPromises(open))
    describe('activity', () => activityPromises(open))
    describe('search', () => searchPromises(open))
    describe('shards', () => shardPromises(open))
    describe('sinks', () => sinkPromises(open))
    describe('item changes', () => itemChangePromises(open))
    describe('retention', () => retentionPromises(open))
    describe('erasure', () => erasurePromises(open))
  })
}
