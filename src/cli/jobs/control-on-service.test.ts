// Tests the commands that control a job of a service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../client.ts'
import type { FetchFlags } from '../flags/flags.ts'
import { deleteOnService, steerOnService } from './control-on-service.ts'

function serviceWith(status: string) {
  const calls: string[] = []
  const call = (name: string) => async (jobId: string) => {
    calls.push(`${name} ${jobId}`)
    return { status }
  }
  const names = ['pause', 'resume', 'cancel', 'retry', 'get', 'wait', 'delete']
  const jobs = Object.fromEntries(names.map(name => [name, call(name)]))
  return { calls, service: { jobs } as unknown as Client }
}
const quiet: FetchFlags = { quiet: true }

test('pause, resume, cancel and retry each send one request of the same name for the job', async () => {
  for (const kind of ['pause', 'resume', 'cancel', 'retry'] as const) {
    const { calls, service } = serviceWith('running')
    await steerOnService(service, 'job-1', quiet, kind)
    assert.deepEqual(calls, [`${kind} job-1`])
  }
})

test('flags that would change the job are refused, without a request to the service', async () => {
  const { calls, service } = serviceWith('running')
  for (const change of [{ userAgent: 'me' }, { contact: 'a@b.example' }, { retries: 1 }, { cookies: 'file' }])
    await assert.rejects(steerOnService(service, 'job-1', { ...quiet, ...change }, 'resume'), {
      code: 'input.invalid',
    })
  assert.deepEqual(calls, [])
})

test('with --force a running job is cancelled before it is deleted', async () => {
  const runs = serviceWith('running')
  await deleteOnService(runs.service, 'job-1', { ...quiet, force: true })
  assert.deepEqual(runs.calls, ['get job-1', 'cancel job-1', 'wait job-1', 'delete job-1'])
  const ended = serviceWith('completed')
  await deleteOnService(ended.service, 'job-1', { ...quiet, force: true })
  assert.deepEqual(ended.calls, ['get job-1', 'delete job-1'])
  const unforced = serviceWith('running')
  await deleteOnService(unforced.service, 'job-1', quiet)
  assert.deepEqual(unforced.calls, ['get job-1', 'delete job-1'])
})
