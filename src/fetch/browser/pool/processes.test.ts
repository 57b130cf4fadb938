// Tests that no process of an ended process group remains.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { endGroup, groupMembers } from './processes.ts'

test('after a process group is ended, its processes and their children are gone', async () => {
  const script = 'for n in 1 2 3 4 5; do sleep 600 & done; echo begun; wait'
  const leader = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  await once(leader.stdout, 'data')
  assert.equal(groupMembers(leader.pid!).length, 6)
  await endGroup(leader.pid!)
  assert.deepEqual(groupMembers(leader.pid!), [])
})

test('a process group that no longer exists counts as ended', async () => {
  const leader = spawn('true', { detached: true, stdio: 'ignore' })
  await once(leader, 'exit')
  await endGroup(leader.pid!)
  assert.deepEqual(groupMembers(leader.pid!), [])
})
