// Language, time zone and location of an identity. They match the country of its proxy.
import { Failure } from '../../../model/failures.ts'

interface Home {
  locale: string
  languages: string[]
  timeZone: string
  geolocation: { latitude: number; longitude: number } | null
}

type Place = [timeZone: string, latitude: number, longitude: number]

/** Large cities of each country, because an IP address of the country is most likely there. */
const places: Record<string, readonly Place[]> = {
  AR: [['America/Argentina/Buenos_Aires', -34.6, -58.38]],
  AT: [['Europe/Vienna', 48.21, 16.37]],
  AU: [
    ['Australia/Sydney', -33.87, 151.21],
    ['Australia/Melbourne', -37.81, 144.96],
    ['Australia/Perth', -31.95, 115.86],
  ],
  BE: [['Europe/Brussels', 50.85, 4.35]],
  BR: [
    ['America/Sao_Paulo', -23.55, -46.63],
    ['America/Fortaleza', -3.73, -38.53],
  ],
  CA: [
    ['America/Toronto', 43.65, -79.38],
    ['America/Vancouver', 49.28, -123.12],
  ],
  CH: [['Europe/Zurich', 47.38, 8.54]],
  CL: [['America/Santiago', -33.45, -70.67]],
  CN: [['Asia/Shanghai', 31.23, 121.47]],
  CO: [['America/Bogota', 4.71, -74.07]],
  CZ: [['Europe/Prague', 50.08, 14.44]],
  DE: [
    ['Europe/Berlin', 52.52, 13.41],
    ['Europe/Berlin', 50.11, 8.68],
  ],
  DK: [['Europe/Copenhagen', 55.68, 12.57]],
  ES: [['Europe/Madrid', 40.42, -3.7]],
  FI: [['Europe/Helsinki', 60.17, 24.94]],
  FR: [['Europe/Paris', 48.86, 2.35]],
  GB: [['Europe/London', 51.51, -0.13]],
  GR: [['Europe/Athens', 37.98, 23.73]],
  HK: [['Asia/Hong_Kong', 22.32, 114.17]],
  HU: [['Europe/Budapest', 47.5, 19.04]],
  ID: [['Asia/Jakarta', -6.21, 106.85]],
  IE: [['Europe/Dublin', 53.35, -6.26]],
  IL: [['Asia/Jerusalem', 32.07, 34.78]],
  IN: [['Asia/Kolkata', 19.08, 72.88]],
  IT: [['Europe/Rome', 41.9, 12.5]],
  JP: [['Asia/Tokyo', 35.68, 139.69]],
  KR: [['Asia/Seoul', 37.57, 126.98]],
  MX: [['America/Mexico_City', 19.43, -99.13]],
  NL: [['Europe/Amsterdam', 52.37, 4.9]],
  NO: [['Europe/Oslo', 59.91, 10.75]],
  NZ: [['Pacific/Auckland', -36.85, 174.76]],
  PL: [['Europe/Warsaw', 52.23, 21.01]],
  PT: [['Europe/Lisbon', 38.72, -9.14]],
  RO: [['Europe/Bucharest', 44.43, 26.1]],
  SE: [['Europe/Stockholm', 59.33, 18.07]],
  SG: [['Asia/Singapore', 1.35, 103.82]],
  TH: [['Asia/Bangkok', 13.76, 100.5]],
  TR: [['Europe/Istanbul', 41.01, 28.98]],
  TW: [['Asia/Taipei', 25.03, 121.57]],
  UA: [['Europe/Kyiv', 50.45, 30.52]],
  US: [
    ['America/New_York', 40.71, -74.01],
    ['America/Chicago', 41.88, -87.63],
    ['America/Denver', 39.74, -104.99],
    ['America/Los_Angeles', 34.05, -118.24],
  ],
  ZA: [['Africa/Johannesburg', -26.2, 28.05]],
}

/** Countries where most browsers use another language than the most likely one in ICU's data. */
const spokenOnline: Record<string, string> = { IN: 'en' }

/** Random offset of about ten kilometres in each direction, because exact city centres look artificial. */
const wanderDegrees = 0.1

/** `region` is an ISO 3166 country such as `DE`. Null means the location of this machine. */
export function homeOf(region: string | null, random: () => number): Home {
  if (region === null) return ownHome()
  const code = region.toUpperCase()
  const known = places[code]
  const [timeZone, latitude, longitude] = known?.[Math.floor(random() * known.length)] ?? [zoneOf(code)]
  const wander = () => (random() * 2 - 1) * wanderDegrees
  const at = (degrees: number) => Number((degrees + wander()).toFixed(4))
  return {
    ...languagesOf(code),
    timeZone,
    geolocation: latitude === undefined ? null : { latitude: at(latitude), longitude: at(longitude!) },
  }
}

/** Languages of a browser in this region. All identities of the region have the same. */
export const languagesIn = (region: string | null): string[] => homeOf(region, () => 0).languages

export const knownRegions: readonly string[] = Object.keys(places)

/** Language and time zone of this machine, without an exact location. */
function ownHome(): Home {
  const { locale, timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const { language, region } = new Intl.Locale(locale).maximize()
  return { ...spoken(language, region!), timeZone, geolocation: null }
}

const languagesOf = (region: string): Pick<Home, 'locale' | 'languages'> =>
  spoken(spokenOnline[region] ?? new Intl.Locale(`und-${region}`).maximize().language, region)

/** Languages as Chrome lists them in that country, such as `de-DE, de, en-US, en`. Chrome adds American English by
 *  itself. */
function spoken(language: string, region: string): Pick<Home, 'locale' | 'languages'> {
  const locale = `${language}-${region}`
  const own = language === 'en' ? [locale] : [locale, language]
  return { locale, languages: [...new Set([...own, 'en-US', 'en'])] }
}

/** Time zone of a country that is not in our table, from the time zone data of this machine. */
function zoneOf(region: string): string {
  const zone = /^[A-Z]{2}$/.test(region) ? new Intl.Locale(`und-${region}`).getTimeZones?.()?.[0] : undefined
  if (zone !== undefined) return zone
  const message = `"${region}" is not a region; write a country in two letters, such as DE or US`
  throw new Failure('input.invalid', message, { region })
}
