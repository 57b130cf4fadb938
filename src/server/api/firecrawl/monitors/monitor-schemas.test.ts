// Tests schedules of monitors that are written in words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cronOf } from './monitor-schemas.ts'

const cron = (text: string) => cronOf({ text, timezone: 'UTC' })

test('common phrases for times become cron expressions', () => {
  const said = [
    ['hourly', '0 * * * *'],
    ['every 30 minutes', '*/30 * * * *'],
    ['Every  6 hours', '0 */6 * * *'],
    ['daily', '0 0 * * *'],
    ['daily at 9:30', '30 9 * * *'],
    ['every day at 12 am', '0 0 * * *'],
    ['every monday at 6 pm', '0 18 * * 1'],
    ['weekly', '0 0 * * 1'],
  ]
  for (const [text, expected] of said) assert.equal(cron(text!), expected, text)
  assert.equal(cronOf({ cron: '5 4 * * *', timezone: 'UTC' }), '5 4 * * *')
})

test('other phrases for times are refused with examples', () => {
  for (const text of ['', 'now and then', 'every 90 minutes', 'every funday', 'daily at 25'])
    assert.throws(() => cron(text), { code: 'input.invalid', message: /daily at 9:00/ }, text)
})
