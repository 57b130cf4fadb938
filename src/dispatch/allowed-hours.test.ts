// Tests when a host may be requested by its allowed hours, in its own time zone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowedHours } from '../model/policy/policy.ts'
import { OpeningHours } from './allowed-hours.ts'

const hours = (given: Parameters<typeof allowedHours.parse>[0]) => new OpeningHours(allowedHours.parse(given))
const utc = (text: string) => Date.parse(`${text}Z`)

test('a window of allowed hours includes its start time, but not its end time', () => {
  const office = hours({ from: '08:00', to: '18:00' })
  assert.equal(office.isOpen(utc('2026-01-05T07:59:59')), false)
  assert.equal(office.isOpen(utc('2026-01-05T08:00:00')), true)
  assert.equal(office.isOpen(utc('2026-01-05T17:59:59')), true)
  assert.equal(office.isOpen(utc('2026-01-05T18:00:00')), false)
  assert.equal(office.nextOpen(utc('2026-01-05T18:00:00')), utc('2026-01-06T08:00:00'))
})

test('a window over midnight belongs to the day on which it starts', () => {
  const night = hours({ from: '22:00', to: '06:00', days: ['fri'] })
  assert.equal(night.isOpen(utc('2026-01-09T23:00:00')), true)
  assert.equal(night.isOpen(utc('2026-01-10T05:59:00')), true)
  assert.equal(night.isOpen(utc('2026-01-10T23:00:00')), false)
  assert.equal(night.isOpen(utc('2026-01-09T05:00:00')), false)
  assert.equal(night.nextOpen(utc('2026-01-10T06:00:00')), utc('2026-01-16T22:00:00'))
})

test('equal start and end times mean the whole day', () => {
  const day = hours({ from: '00:00', to: '00:00', days: ['sun'] })
  assert.equal(day.isOpen(utc('2026-01-04T12:00:00')), true)
  assert.equal(day.nextOpen(utc('2026-01-05T12:00:00')), utc('2026-01-11T00:00:00'))
})

test('hours use the time zone, also on days when clocks change', () => {
  const berlin = hours({ from: '08:00', to: '09:00', timeZone: 'Europe/Berlin' })
  assert.equal(berlin.nextOpen(utc('2026-03-28T12:00:00')), utc('2026-03-29T06:00:00'))
  assert.equal(berlin.nextOpen(utc('2026-10-24T12:00:00')), utc('2026-10-25T07:00:00'))
})

test('a window that starts in the hour skipped by summer time opens after that hour', () => {
  const early = hours({ from: '02:30', to: '05:00', timeZone: 'Europe/Berlin' })
  assert.equal(early.nextOpen(utc('2026-03-29T00:30:00')), utc('2026-03-29T01:00:00'))
  const swallowed = hours({ from: '02:10', to: '02:50', timeZone: 'Europe/Berlin', days: ['sun'] })
  assert.equal(swallowed.nextOpen(utc('2026-03-23T00:00:00')), utc('2026-04-05T00:10:00'))
})
