// Property 34: a location is `{ city, state_region, country, raw }`, whatever the text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { normalizedLocation } from '../../src/model/target-schemas.ts'
import { parseLocation } from '../../src/normalize/index.ts'

const city = fc.constantFrom(
  'Phoenix',
  'San José',
  'Frankfurt am Main',
  'Kraków',
  'St. Louis',
  'Aix-en-Provence',
)
const state = fc.constantFrom('AZ', 'CA', 'New York', 'TX')
const unitedStates = fc.constantFrom('US', 'USA', 'United States', 'U.S.A.', 'Vereinigte Staaten')
const country = fc.constantFrom(
  ['Germany', 'Germany'],
  ['Deutschland', 'Germany'],
  ['UK', 'United Kingdom'],
  ['France', 'France'],
  ['Polska', 'Poland'],
  ['The Netherlands', 'Netherlands'],
)
const zip = fc.integer({ min: 10_000, max: 99_999 }).map(String)

test('Property 34: any text gives the four fields without an error, and raw is a text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.lorem()), text => {
      const place = parseLocation(text)
      assert.deepEqual(Object.keys(place).sort(), ['city', 'country', 'raw', 'state_region'])
      assert.deepEqual(normalizedLocation.parse(place), place)
      assert.equal(typeof place.raw, 'string')
      for (const part of [place.city, place.state_region, place.country]) assert.notEqual(part, '')
    }),
  )
})

test('Property 34: city, state and country are recognized, with or without a postal code', () => {
  fc.assert(
    fc.property(city, state, fc.option(zip), fc.option(unitedStates), (town, region, code, land) => {
      const text = `${town}, ${region}${code === null ? '' : ` ${code}`}${land === null ? '' : `, ${land}`}`
      assert.deepEqual(parseLocation(text), {
        city: town,
        state_region: region,
        country: 'United States',
        raw: text,
      })
    }),
  )
})

test('Property 34: a country is recognized by its names, and the postal code is not part of the city', () => {
  fc.assert(
    fc.property(city, country, fc.option(zip), (town, [written, english], code) => {
      const text = `${code === null ? '' : `${code} `}${town}, ${written}`
      assert.deepEqual(parseLocation(text), { city: town, state_region: null, country: english, raw: text })
    }),
  )
})
