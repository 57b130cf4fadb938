// Levels of the log: over all and by component.
import assert from 'node:assert/strict'
import test from 'node:test'
import { parseLogLevels } from './log-levels.ts'

test('one level is for everybody, a component may have another one', () => {
  assert.deepEqual(parseLogLevels('warn'), { usual: 'warn', of: {} })
  assert.deepEqual(parseLogLevels('info, fetch=debug,api=warn'), {
    usual: 'info',
    of: { fetch: 'debug', api: 'warn' },
  })
  assert.deepEqual(parseLogLevels('fetch=debug').usual, 'info')
})

test('what there is none of is named, with what there is', () => {
  assert.throws(() => parseLogLevels('loud'), /no level "loud".*error, warn, info/)
  assert.throws(() => parseLogLevels('info,fetc=debug'), /no component "fetc".*fetch/)
  assert.throws(() => parseLogLevels('info,fetch='), /no level ""/)
})
