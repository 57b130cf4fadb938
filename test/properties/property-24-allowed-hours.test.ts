// Property 24: a host is requested only within its allowed hours, and as soon as they begin.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OpeningHours } from '../../src/dispatch/allowed-hours.ts'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { type AllowedHours, allowedHours, hostPolicy, weekdays } from '../../src/model/policy/policy.ts'

const minuteMs = 60_000
const minuteOfDay = fc.nat({ max: 1_439 })
const clockTime = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

const anyHours = (timeZones: string[]) =>
  fc
    .record({
      from: minuteOfDay.map(clockTime),
      to: minuteOfDay.map(clockTime),
      timeZone: fc.constantFrom(...timeZones),
      days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
    })
    .map(hours => allowedHours.parse(hours))
/** Times in three years, which contain several clock changes. */
const anyMoment = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2028, 0, 1) })
const changingZones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC']

/** A simple reference implementation of the rule, for UTC. */
function isOpenInUtc({ from, to, days }: AllowedHours, at: number): boolean {
  const moment = new Date(at)
  const time = moment.toISOString().slice(11, 16)
  const today = weekdays[(moment.getUTCDay() + 6) % 7]!
  const yesterday = weekdays[(moment.getUTCDay() + 5) % 7]!
  if (from < to) return days.includes(today) && from <= time && time < to
  return (days.includes(today) && time >= from) || (days.includes(yesterday) && time < to)
}

test('Property 24: a moment is allowed exactly when its time and weekday are in the window', () => {
  fc.assert(
    fc.property(anyHours(['UTC']), anyMoment, (hours, at) => {
      assert.equal(new OpeningHours(hours).isOpen(at), isOpenInUtc(hours, at))
    }),
  )
})

test('Property 24: the next opening lies within the allowed hours, and no earlier time does', () => {
  fc.assert(
    fc.property(anyHours(changingZones), anyMoment, fc.nat({ max: 999 }), (hours, at, sample) => {
      const opening = new OpeningHours(hours)
      const next = opening.nextOpen(at)
      assert.ok(next >= at && opening.isOpen(next))
      if (next === at) return
      assert.equal(opening.isOpen(next - 1), false, 'the host was already open a millisecond earlier')
      assert.equal(
        opening.isOpen(at + Math.floor(((next - at) * sample) / 1_000)),
        false,
        'the host was open before the reported opening',
      )
      assert.equal(next % minuteMs, 0)
    }),
    { numRuns: 300 },
  )
})

test('Property 24: a task runs only within the allowed hours of its host', () => {
  fc.assert(
    fc.property(anyHours(changingZones), anyMoment, (hours, now) => {
      const policy = hostPolicy.parse({ hours })
      const table = new HostTable({ policyFor: () => policy })
      const opening = new OpeningHours(hours)
      const answer = table.reserve('a.example', now, now, {})
      assert.equal(answer.ok, opening.isOpen(now))
      if (!answer.ok) assert.deepEqual(answer, { ok: false, until: opening.nextOpen(now), reason: 'hours' })
    }),
  )
})
