// Splits locations into city, region and country, as far as possible.
import { isObject, type JsonObject } from '../model/json.ts'
import type { Json } from '../model/record.ts'
import type { NormalizedLocation } from '../model/target-schemas.ts'
import { countryNamed, countryOfRegion, isCityAbroad } from './countries.ts'
import { stripHtml } from './text.ts'

type Place = Pick<NormalizedLocation, 'city' | 'state_region' | 'country'>

const nowhere: Place = { city: null, state_region: null, country: null }
/** Longest text in characters that can be a location. */
const maxLength = 300

const workWords =
  /(?<![\p{L}\p{N}])(?:fully remote|100% remote|remote|hybrid|on-?site|in office|anywhere|worldwide|work from home|home office)(?![\p{L}\p{N}])/giu
const usZip = / ?\b\d{5}(?:-\d{4})?$/
const canadianCode = / ?\b[A-Z]\d[A-Z] ?\d[A-Z]\d$/
const britishCode = / ?\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$/
const dutchCode = /^\d{4} ?[A-Z]{2} (?=\p{Lu})/u
/** A postal code before the city: `10115 Berlin`, `D-10115 Berlin`, `1010 Wien`. */
const codeBefore = /^(?:[A-Z]{1,2}[- ])?\d{4,6} (?=\p{L})/u
const codeBehind = / ?\b\d{4,6}$/
const cityWithState = /^(.{2,60}) ([A-Z]{2,3})$/
/** Names of both a city and a state. Alone, they mean the city. */
const cityFirst = new Set(['new york', 'washington'])

/** Never fails. Unknown parts are null. `raw` is the text on one line without markup. */
export function parseLocation(text: string): NormalizedLocation {
  const raw = stripHtml(text)
  return { ...(raw.length > maxLength ? nowhere : firstPlace(raw)), raw }
}

/** The first place that the text names. */
function firstPlace(text: string): Place {
  for (const one of text.split(/[;|/]| or /)) {
    const place = placeOf(one)
    if (place.city ?? place.state_region ?? place.country) return place
  }
  return nowhere
}

function placeOf(text: string): Place {
  const parts = partsOf(text)
  const hint = hintOf(parts)
  const named = parts
    .map(withoutCode)
    .map(withoutArea)
    .filter(part => part !== '')
  splitState(named)
  while (named.length > 1 && /\d/.test(named[0]!)) named.shift()
  const country = takeCountry(named, hint) ?? hint ?? takeUnknown(named)
  const region = takeRegion(named, country)
  const city = named.at(-1)
  return {
    city: city ?? null,
    state_region: region,
    country: country ?? countryOfRegion(region ?? city ?? ''),
  }
}

const partsOf = (text: string): string[] =>
  text
    .replace(workWords, ' ')
    .replace(/[()[\]]/g, ',')
    .split(/,| [-–—·•] /)
    .map(part => part.replace(/^[\s\-–—·•:]+|[\s\-–—·•:]+$/g, '').replace(/ +/g, ' '))
    .filter(part => part !== '')

/** The country that a postal code in the text identifies; null if there is none. */
function hintOf(parts: string[]): string | null {
  if (parts.some(part => canadianCode.test(part))) return 'Canada'
  return parts.some(part => britishCode.test(part)) ? 'United Kingdom' : null
}

const withoutCode = (part: string): string =>
  part
    .replace(canadianCode, '')
    .replace(britishCode, '')
    .replace(dutchCode, '')
    .replace(codeBefore, '')
    .replace(usZip, '')
    .replace(codeBehind, '')
    .trim()

/** Splits a city and a state without a comma, as in `Phoenix AZ`. */
function splitState(parts: string[]): void {
  const at = parts.length - 1
  const found = cityWithState.exec(parts[at] ?? '')
  if (found !== null && countryOfRegion(found[2]!) !== null) parts.splice(at, 1, found[1]!, found[2]!)
}

/** Removes the country from the end of the parts and returns it. `hint` is the country of a postal code; a different
 *  country is not removed. */
function takeCountry(parts: string[], hint: string | null): string | null {
  const last = parts.at(-1)
  const country = last === undefined ? null : countryNamed(last)
  if (country === null || country !== (hint ?? country)) return null
  if (isRather(last!, parts.at(-2), country)) return null
  parts.pop()
  return country
}

/** True if the code means a region, although it can also be a country: `CA` means California after San
 *  Francisco, but Canada after `ON`. */
function isRather(last: string, before: string | undefined, country: string): boolean {
  if (before === undefined || countryOfRegion(last) === null) return false
  return !isCityAbroad(before, last) && countryOfRegion(before) !== country && !/^[A-Z]{2,3}$/.test(before)
}

/** Removes the region from the end of the parts and returns it: a known region, or the part between city and
 *  country. */
function takeRegion(parts: string[], country: string | null): string | null {
  const last = parts.at(-1)
  if (last === undefined) return null
  const isKnown = countryOfRegion(last) !== null && !(parts.length === 1 && cityFirst.has(last.toLowerCase()))
  const isBetween = parts.length === 2 || (parts.length > 2 && country !== null)
  return isKnown || isBetween ? parts.pop()! : null
}

/** With three parts, the last one is the country even if it is unknown, because that is the usual order. */
function takeUnknown(parts: string[]): string | null {
  return parts.length > 2 && countryOfRegion(parts.at(-1)!) === null ? parts.pop()! : null
}

/** Reduces names such as `Greater Boston Area` to the city. */
const withoutArea = (text: string): string =>
  text.replace(/^greater (?=.)/i, '').replace(/(?<=.) (?:(?:metropolitan|metro|bay) )?area$/i, '')

/** Converts a location in structured data: text, a `PostalAddress`, an object with an address or a name, or a list of
 *  these. */
export function locationFrom(value: Json | undefined): NormalizedLocation | null {
  if (typeof value === 'string') return value.trim() === '' ? null : parseLocation(value)
  if (Array.isArray(value)) return firstLocation(value)
  if (typeof value !== 'object' || value === null) return null
  return (
    fromAddress(value) ??
    locationFrom(textIn(value.address)) ??
    addressOf(value.address) ??
    locationFrom(textIn(value.name))
  )
}

function firstLocation(values: Json[]): NormalizedLocation | null {
  for (const value of values) {
    const found = Array.isArray(value) ? null : locationFrom(value)
    if (found !== null) return found
  }
  return null
}

const addressOf = (address: Json | undefined): NormalizedLocation | null => {
  const one = Array.isArray(address) ? address[0] : address
  return isObject(one) ? fromAddress(one) : null
}

/** A `PostalAddress` has separate fields for city, region and country. Missing fields are derived from the others. */
function fromAddress(address: JsonObject): NormalizedLocation | null {
  const city = textIn(address.addressLocality)
  const region = textIn(address.addressRegion)
  const country = textIn(address.addressCountry)
  const raw = [city, region, country].filter(part => part !== undefined).join(', ')
  if (raw === '') return null
  const guessed = parseLocation(raw)
  return {
    city: city?.includes(',') ? guessed.city : (city ?? null),
    state_region: region ?? guessed.state_region,
    country: country === undefined ? guessed.country : (countryNamed(country) ?? country),
    raw,
  }
}

/** The text, or the name of an object such as a `Country`. */
function textIn(value: Json | undefined): string | undefined {
  const own = isObject(value) ? value.name : value
  return typeof own === 'string' ? stripHtml(own) || undefined : undefined
}
