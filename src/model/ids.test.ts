// Ids that workspaces choose, as they are stored and as they are shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultWorkspace, idIn } from './access.ts'
import { chosenId, id, isStoredId, parseTaskId, taskId } from './ids.ts'

test('ids of two workspaces never collide, and each is shown as it was chosen', () => {
  const stored = ['a', 'a.b', 'acme.a'].flatMap(chosen =>
    [defaultWorkspace, 'acme', 'acme.a'].map(workspace => ({ chosen, id: idIn(workspace, chosen) })),
  )
  assert.equal(new Set(stored.map(one => one.id)).size, stored.length)
  for (const { chosen, id } of stored) assert.deepEqual([chosenId(id), isStoredId(id)], [chosen, true])
})

test('no chosen id can be confused with one that is stored with a workspace', () => {
  assert.equal(id.safeParse(idIn('acme', 'a')).success, false)
})

test('only ids that are safe as a folder name are stored', () => {
  for (const bad of [
    '',
    '~acme',
    'a~',
    'a~b~c',
    '../a',
    'a~..',
    'a/b',
    `${'a'.repeat(128)}~${'b'.repeat(128)}`,
  ])
    assert.equal(isStoredId(bad), false, bad)
})

test('the name of a task contains the job id that the caller chose', () => {
  assert.equal(taskId(idIn('acme', 'nightly.1'), 7), 'nightly.1.7')
  assert.deepEqual(parseTaskId('nightly.1.7'), { jobId: 'nightly.1', n: 7 })
})
