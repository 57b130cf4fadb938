// Tests that a job is visible only to its own workspace.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../test/support/job-values.ts'
import { type Caller, idIn } from '../model/access.ts'
import type { Job } from '../model/job.ts'
import { ownedJob, storedJobId } from './owned-job.ts'
import type { Server } from './parts.ts'

const serverWith = (...jobs: Job[]) =>
  ({
    parts: { store: { jobs: { get: async (id: string) => jobs.find(job => job.id === id) ?? null } } },
  }) as unknown as Pick<Server, 'parts'>
const callerOf = (workspace: string) => ({ workspace }) as Caller

test('a job is found by the id that the service generated, or by the id that a caller of its workspace chose', async () => {
  const ours = jobOf({ id: 'job-1', workspace: 'team' })
  const chosen = jobOf({ id: idIn('team', 'nightly'), workspace: 'team' })
  const server = serverWith(ours, chosen)
  assert.equal(await ownedJob(server, callerOf('team'), 'job-1'), ours)
  assert.equal(await ownedJob(server, callerOf('team'), 'nightly'), chosen)
  assert.equal(await storedJobId(server, callerOf('team'), 'nightly'), chosen.id)
})

test('a job of another workspace is found by neither id', async () => {
  const theirs = jobOf({ id: idIn('team', 'nightly'), workspace: 'team' })
  const server = serverWith(theirs)
  for (const id of ['nightly', theirs.id])
    await assert.rejects(ownedJob(server, callerOf('other'), id), { code: 'job.unknown' })
})

test('a deleted job is looked up by the id that it had', async () => {
  assert.equal(await storedJobId(serverWith(), callerOf('team'), 'gone'), idIn('team', 'gone'))
})
