// Tests ids that callers choose: how they are stored, and how they are shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultWorkspace, idIn } from './access.ts'
import { chosenId, id, isStoredId, parseTaskId, taskId } from './ids.ts'

test('ids of two workspaces never collide, and each id is shown as its caller chose it', () => {
  const stored = ['a', 'a.b', 'acme.a'].flatMap(chosen =>
    [defaultWorkspace, 'acme', 'acme.a'].map(workspace => ({ chosen, id: idIn(workspace, chosen) })),
  )
  assert.equal(new Set(stored.map(one => one.id)).size, stored.length)
  for (const { chosen, id } of stored) assert.deepEqual([chosenId(id), isStoredId(id)], [chosen, true])
})

test('an id that a caller chooses never equals a stored id that contains a workspace', () => {
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
