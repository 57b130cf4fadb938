// Tests the filters of the job list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idIn } from '../../../model/access.ts'
import { filterOf, labelsOf } from './list.ts'

test('a list of jobs covers only the workspace of the caller, and a schedule id is looked up only there', () => {
  assert.deepEqual(filterOf({} as never, 'team'), { workspace: 'team' })
  const filter = filterOf(
    { scheduleId: 'nightly', status: ['running'], createdFrom: 0, text: 'a' } as never,
    'team',
  )
  assert.deepEqual(filter, {
    ...{
      workspace: 'team',
      scheduleId: idIn('team', 'nightly'),
      states: ['running'],
      createdFrom: 0,
      text: 'a',
    },
  })
})

test('a label filter is a name and a value, and the value may contain colons', () => {
  assert.deepEqual(labelsOf(['team:a', 'url:http://x']), { team: 'a', url: 'http://x' })
  assert.deepEqual(filterOf({ label: 'team:a' } as never, 'w').labels, { team: 'a' })
  for (const text of ['team', ':a', ''])
    assert.throws(() => labelsOf([text]), { code: 'input.invalid' }, text)
})
