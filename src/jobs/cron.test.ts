// Tests cron expressions: their times, refused expressions, time zones, and clock changes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseCron, zonedTime } from './cron.ts'

const vectors = JSON.parse(
  readFileSync(new URL('../../test/vectors/bad-inputs/cron.json', import.meta.url), 'utf8'),
) as { invalid: string[]; valid: string[] }

for (const text of vectors.invalid)
  test(`the cron expression ${JSON.stringify(text)} is refused, and the error names the field and the reason`, () => {
    assert.throws(() => parseCron(text, 'UTC'), {
      code: 'input.invalid',
      details: { path: 'cron' },
      message: /^cron: ".*": \S.{10,}/s,
    })
  })

for (const text of [...vectors.valid, '0 0 29 2 *', '*/5 * * * * *', '0 12 * * MON-FRI', '0 0 L * *'])
  test(`the cron expression ${JSON.stringify(text)} is accepted`, () => {
    const now = Date.now()
    assert.ok(parseCron(text, 'Europe/Berlin').next(now)! > now)
  })

test('the error for a number out of range names the number and the allowed range', () => {
  assert.throws(() => parseCron('* * 0 * *', 'UTC'), { message: /day of month 0 is not within 1–31/ })
  assert.throws(() => parseCron('0 0 24 * * *', 'UTC'), { message: /hour 24 is not within 0–23/ })
  assert.throws(() => parseCron('? * * * *', 'UTC'), { message: /write \* for any/ })
})

test('a cron nickname has the same meaning as its fields', () => {
  const after = Date.parse('2026-03-04T05:06:07Z')
  for (const [text, next] of [
    ['@hourly', '2026-03-04T06:00:00Z'],
    ['@daily', '2026-03-05T00:00:00Z'],
    [' @Midnight ', '2026-03-05T00:00:00Z'],
    ['@weekly', '2026-03-08T00:00:00Z'],
    ['@monthly', '2026-04-01T00:00:00Z'],
    ['@yearly', '2027-01-01T00:00:00Z'],
    ['@annually', '2027-01-01T00:00:00Z'],
  ])
    assert.equal(parseCron(text!, 'UTC').next(after), Date.parse(next!))
})

test('an unknown nickname, a date or a seventh field is refused', () => {
  for (const text of ['@reboot', '@every 5m', '2026-05-01T00:00:00', '* * * * * * 2030'])
    assert.throws(() => parseCron(text, 'UTC'), { message: /five fields/ })
})

test('an unknown time zone is refused', () => {
  assert.throws(() => parseCron('* * * * *', 'Mars/Phobos'), {
    code: 'input.invalid',
    message: /time_zone: "Mars\/Phobos"/,
  })
})

const berlin = 'Europe/Berlin'

function ticks(cron: string, from: string, count: number): string[] {
  const plan = parseCron(cron, berlin)
  const found: number[] = []
  for (let at = Date.parse(from); found.length < count; at = found.at(-1)!) found.push(plan.next(at)!)
  return found.map(tick => zonedTime(tick, berlin))
}

test('if a time of day occurs twice because summer time ends, the run happens once', () => {
  assert.deepEqual(ticks('30 2 * * *', '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T02:30:00+02:00',
    '2026-10-26T02:30:00+01:00',
  ])
  assert.deepEqual(ticks('15,45 2 * * *', '2026-10-24T12:00:00Z', 3), [
    '2026-10-25T02:15:00+02:00',
    '2026-10-25T02:45:00+02:00',
    '2026-10-26T02:15:00+01:00',
  ])
})

test('if a time of day is skipped because summer time begins, the run happens right after the gap', () => {
  assert.deepEqual(ticks('30 2 * * *', '2026-03-28T12:00:00Z', 2), [
    '2026-03-29T03:00:00+02:00',
    '2026-03-30T02:30:00+02:00',
  ])
})

test('a cron expression for an interval also runs in the repeated hour', () => {
  assert.deepEqual(ticks('*/30 * * * *', '2026-10-25T00:00:00Z', 3), [
    '2026-10-25T02:30:00+02:00',
    '2026-10-25T02:00:00+01:00',
    '2026-10-25T02:30:00+01:00',
  ])
})

test('the next tick of a cron expression is always after the given time, on a full second, and correct in its time zone', () => {
  const zones = fc.constantFrom('UTC', berlin, 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe')
  const time = fc.integer({ min: Date.UTC(2020), max: Date.UTC(2040) })
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 59 }),
      fc.integer({ min: 4, max: 23 }),
      zones,
      time,
      (m, h, zone, at) => {
        const tick = parseCron(`${m} ${h} * * *`, zone).next(at)!
        assert.ok(tick > at && tick - at <= 25 * 3_600_000)
        assert.match(zonedTime(tick, zone), new RegExp(`T0?${h}:0?${m}:00[+-]`))
        assert.equal(Date.parse(zonedTime(tick, zone)), tick)
      },
    ),
    { numRuns: 200 },
  )
})
