// Tests log levels, global and by component.
import assert from 'node:assert/strict'
import test from 'node:test'
import { parseLogLevels } from './log-levels.ts'

test('one log level applies to all components, and a component may have its own', () => {
  assert.deepEqual(parseLogLevels('warn'), { usual: 'warn', of: {} })
  assert.deepEqual(parseLogLevels('info, fetch=debug,api=warn'), {
    usual: 'info',
    of: { fetch: 'debug', api: 'warn' },
  })
  assert.deepEqual(parseLogLevels('fetch=debug').usual, 'info')
})

test('the error for an unknown component or level names it and lists the known ones', () => {
  assert.throws(() => parseLogLevels('loud'), /"loud" is not a level.*error, warn, info/)
  assert.throws(() => parseLogLevels('info,fetc=debug'), /"fetc" is not a component.*fetch/)
  assert.throws(() => parseLogLevels('info,fetch='), /"" is not a level/)
})
