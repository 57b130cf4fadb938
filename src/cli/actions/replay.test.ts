// Tests the job that a recording becomes, and how its parameters are printed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parameterTable, specFor } from './replay.ts'

const recording = { actions: [{ type: 'click', selector: '#go' }], parameters: [] } as never

test('each run of a recording starts without the cookies of the previous run, unless a session is given', () => {
  assert.equal(specFor(recording, {} as never).policy?.browser?.isolation, 'task')
  assert.equal(specFor(recording, { session: 'shop' } as never).policy?.browser?.isolation, 'session')
  assert.deepEqual(specFor(recording, {} as never).actions, [{ type: 'click', selector: '#go' }])
})

test('--params shows up to 60 characters of each typed value, and no passwords', () => {
  const text = parameterTable([
    { name: 'user', recorded: 'ann', step: 2 },
    { name: 'password', recorded: null, step: 3 },
    { name: 'note', recorded: 'x'.repeat(61), step: 4 },
    { name: 'short', recorded: 'y'.repeat(60), step: 5 },
  ] as never)
  const [, user, password, note, short] = text.split('\n')
  assert.match(user!, /^user +2 +ann$/)
  assert.match(password!, /^password +3 +\(.*password.*\)$/)
  assert.match(note!, / x{59}…$/)
  assert.match(short!, / y{60}$/)
})
