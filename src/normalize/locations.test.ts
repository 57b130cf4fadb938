// Tests parsing locations in the formats of real pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { locationFrom, parseLocation } from './locations.ts'

type Row = [text: string, city: string | null, region: string | null, country: string | null]

const places: Row[] = [
  ['San Francisco, California, United States', 'San Francisco', 'California', 'United States'],
  ['Phoenix AZ 85004', 'Phoenix', 'AZ', 'United States'],
  ['123 Main St, Phoenix, AZ 85004', 'Phoenix', 'AZ', 'United States'],
  ['Unter den Linden 5, 10117 Berlin, Deutschland', 'Berlin', null, 'Germany'],
  ['1012 AB Amsterdam, Netherlands', 'Amsterdam', null, 'Netherlands'],
  ['221B Baker St, London NW1 6XE', 'London', null, 'United Kingdom'],
  ['Toronto, ON M5V 2T6, Canada', 'Toronto', 'ON', 'Canada'],
  ['Regina, SK S4P 3Y2', 'Regina', 'SK', 'Canada'],
  ['Paris, Île-de-France, France', 'Paris', 'Île-de-France', 'France'],
  ['Greater London, England, United Kingdom', 'London', 'England', 'United Kingdom'],
  ['Austin, Texas Metropolitan Area', 'Austin', 'Texas', 'United States'],
  ['San Francisco Bay Area', 'San Francisco', null, null],
  // Codes that can mean a state or a country.
  ['Dover, DE', 'Dover', 'DE', 'United States'],
  ['Berlin, DE', 'Berlin', null, 'Germany'],
  ['Berlin, BE, DE', 'Berlin', 'BE', 'Germany'],
  ['Toronto, ON, CA', 'Toronto', 'ON', 'Canada'],
  ['Atlanta, Georgia', 'Atlanta', 'Georgia', 'United States'],
  ['Tbilisi, Georgia', 'Tbilisi', null, 'Georgia'],
  // Locations as job postings state them, with the mode of work.
  ['Remote', null, null, null],
  ['Remote (Germany)', null, null, 'Germany'],
  ['Remote | Berlin, Germany', 'Berlin', null, 'Germany'],
  ['Dallas, TX (Hybrid)', 'Dallas', 'TX', 'United States'],
  // Texts that have only one part of a location, known or unknown.
  ['New York', 'New York', null, 'United States'],
  ['California', null, 'California', 'United States'],
  ['Singapore', null, null, 'Singapore'],
  ['München', 'München', null, null],
  ['Springfield, Foo', 'Springfield', 'Foo', null],
  ['Springfield, Foo, Ruritania', 'Springfield', 'Foo', 'Ruritania'],
]
for (const [text, city, region, country] of places) {
  test(`"${text}" is split into city, region and country`, () => {
    assert.deepEqual(parseLocation(text), { city, state_region: region, country, raw: text })
  })
}

test('a long text is stored as raw text, without a city or country', () => {
  const text = 'Berlin, '.repeat(100).trim()
  assert.deepEqual(parseLocation(text), { city: null, state_region: null, country: null, raw: text })
})

test('the parts of a postal address are used unchanged, and its country becomes a name', () => {
  const address = {
    '@type': 'PostalAddress',
    addressLocality: 'Kirkland',
    addressRegion: 'WA',
    addressCountry: 'US',
  }
  const kirkland = { city: 'Kirkland', state_region: 'WA', country: 'United States', raw: 'Kirkland, WA, US' }
  assert.deepEqual(locationFrom(address), kirkland)
  assert.deepEqual(locationFrom([{ '@type': 'Place', address }]), kirkland)
  assert.deepEqual(locationFrom({ ...address, addressCountry: { name: 'USA' } })?.country, 'United States')
})

test('a location can be a text, an object with its address as text, or only a name', () => {
  assert.equal(locationFrom('Berlin, Germany')?.country, 'Germany')
  assert.equal(locationFrom({ address: 'Berlin, Germany' })?.city, 'Berlin')
  assert.equal(locationFrom({ name: 'Paris' })?.city, 'Paris')
  for (const nothing of [null, undefined, '', 7, {}, [], { address: {} }])
    assert.equal(locationFrom(nothing), null)
})
