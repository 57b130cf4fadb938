// Property 15: language, time zone and location of an identity match the proxy's region.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newIdentity } from '../../src/fetch/browser/identity/identity.ts'
import type { SampleDesktop } from '../../src/fetch/browser/identity/identity-profiles.ts'
import { knownRegions } from '../../src/fetch/browser/identity/identity-regions.ts'
import { anyRandom, zoneName } from './identities.ts'

const sampleDesktop: SampleDesktop = () => ({
  screen: { width: 1_920, height: 1_080 },
  deviceScaleFactor: 1,
  platformVersion: '',
})

const inRegion = (region: string | null, random: () => number) =>
  newIdentity(
    { kind: 'stealth', browserVersion: '156.0.8078.79', mobile: false, userAgent: '', region },
    { sampleDesktop, random },
  )

test('Property 15: time zone, language and locale belong to the region', () => {
  fc.assert(
    fc.property(fc.constantFrom(...knownRegions), anyRandom, (region, random) => {
      const { timeZone, locale, languages } = inRegion(region, random)
      const zones = new Intl.Locale(`und-${region}`).getTimeZones!()!.map(zoneName)
      assert.ok(zones.includes(zoneName(timeZone)), `${timeZone} in ${region}`)
      assert.equal(new Intl.Locale(locale).region, region)
      const { language } = new Intl.Locale(locale)
      const own = language === 'en' ? [locale] : [locale, language]
      assert.deepEqual(languages, [...new Set([...own, 'en-US', 'en'])])
    }),
  )
})

test('Property 15: the geolocation lies in the time zone', () => {
  fc.assert(
    fc.property(fc.constantFrom(...knownRegions), anyRandom, (region, random) => {
      const { timeZone, geolocation } = inRegion(region, random)
      const { latitude, longitude } = geolocation!
      assert.ok(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)
      // Solar time changes by one hour every 15 degrees. In no country does the clock differ from it by more than three and a
      // half hours.
      const hours = offsetHours(timeZone, Date.UTC(2026, 0, 1))
      assert.ok(Math.abs(hours - longitude / 15) < 3.5, `${timeZone} at ${longitude}`)
    }),
  )
})

function offsetHours(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  const [, sign = '+', hours = '0', minutes = '0'] =
    /GMT([+-])(\d+):(\d+)/.exec(parts.find(({ type }) => type === 'timeZoneName')!.value) ?? []
  return Number(`${sign}${Number(hours) + Number(minutes) / 60}`)
}

test('Property 15: a region without a known city still has its language and time zone', () => {
  const { timeZone, locale, geolocation } = inRegion('IS', Math.random)
  assert.deepEqual([timeZone, locale, geolocation], ['Atlantic/Reykjavik', 'is-IS', null])
})

test('Property 15: without a proxy, the identity has the region of the machine and no exact location', () => {
  const { timeZone, geolocation } = inRegion(null, Math.random)
  assert.equal(timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone)
  assert.equal(geolocation, null)
})

test('Property 15: an invalid region is refused with an example', () => {
  fc.assert(
    fc.property(
      fc.string().filter(text => !/^[a-z]{2}$/i.test(text)),
      text => assert.throws(() => inRegion(text, Math.random), /such as DE or US/),
    ),
  )
})
