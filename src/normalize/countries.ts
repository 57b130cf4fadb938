// Maps names and codes of countries to the English name, and regions to their country.

/** Languages whose country names are recognized. */
const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'pl']
/** Codes that have a name but are not (or no longer) countries. */
const notCountries = new Set('AN BU CS DD DY EU EZ FX HV NH QO RH SU TP UN VD XA XB YD YU ZR ZZ'.split(' '))
/** English names that are shorter than the official ones. */
const shortNames: Record<string, string> = { HK: 'Hong Kong', MO: 'Macao' }

const abbreviations: Record<string, string> = {
  usa: 'US',
  'u.s.': 'US',
  'u.s.a.': 'US',
  'united states of america': 'US',
  america: 'US',
  uk: 'GB',
  'u.k.': 'GB',
  'great britain': 'GB',
  britain: 'GB',
  'czech republic': 'CZ',
  holland: 'NL',
  'the netherlands': 'NL',
  uae: 'AE',
  'u.a.e.': 'AE',
  'south korea': 'KR',
  korea: 'KR',
  russia: 'RU',
  turkey: 'TR',
  'hong kong': 'HK',
  macau: 'MO',
  taiwan: 'TW',
  vietnam: 'VN',
}

const usStates =
  'AL:Alabama AK:Alaska AZ:Arizona AR:Arkansas CA:California CO:Colorado CT:Connecticut DE:Delaware FL:Florida GA:Georgia ' +
  'HI:Hawaii ID:Idaho IL:Illinois IN:Indiana IA:Iowa KS:Kansas KY:Kentucky LA:Louisiana ME:Maine MD:Maryland ' +
  'MA:Massachusetts MI:Michigan MN:Minnesota MS:Mississippi MO:Missouri MT:Montana NE:Nebraska NV:Nevada ' +
  'NH:New_Hampshire NJ:New_Jersey NM:New_Mexico NY:New_York NC:North_Carolina ND:North_Dakota OH:Ohio OK:Oklahoma ' +
  'OR:Oregon PA:Pennsylvania RI:Rhode_Island SC:South_Carolina SD:South_Dakota TN:Tennessee TX:Texas UT:Utah ' +
  'VT:Vermont VA:Virginia WA:Washington WV:West_Virginia WI:Wisconsin WY:Wyoming DC:District_of_Columbia'
/** Provinces of Canada. Some provinces are listed without their code, because the code usually means a country (NL, PE,
 *  SK, …). */
const provinces =
  'AB:Alberta BC:British_Columbia MB:Manitoba NB:New_Brunswick :Newfoundland_and_Labrador NS:Nova_Scotia ON:Ontario ' +
  ':Prince_Edward_Island QC:Quebec QC:Québec :Saskatchewan NT:Northwest_Territories :Nunavut :Yukon'
const australianStates =
  'NSW:New_South_Wales QLD:Queensland VIC:Victoria TAS:Tasmania ACT:Australian_Capital_Territory'
const britishNations = 'ENG:England SCT:Scotland WLS:Wales NIR:Northern_Ireland'

/** Cities outside the US, by a country code or name that is also that of a US state: `CA` is Canada or
 *  California. */
const citiesAbroad: Record<string, string> = {
  AL: 'tirana durrës',
  AR: 'buenos_aires córdoba rosario mendoza',
  AZ: 'baku',
  CA: 'toronto montreal montréal vancouver calgary ottawa edmonton winnipeg quebec_city québec',
  CO: 'bogotá bogota medellín medellin cali barranquilla cartagena',
  DE: 'berlin hamburg munich münchen cologne köln frankfurt frankfurt_am_main stuttgart düsseldorf leipzig dresden hannover bremen nürnberg essen dortmund bonn mannheim karlsruhe',
  GA: 'libreville',
  Georgia: 'tbilisi batumi kutaisi',
  ID: 'jakarta bandung surabaya bali denpasar',
  IL: 'tel_aviv tel_aviv-yafo jerusalem haifa herzliya ramat_gan',
  IN: 'bangalore bengaluru mumbai delhi new_delhi hyderabad chennai pune kolkata gurgaon gurugram noida ahmedabad',
  LA: 'vientiane',
  MA: 'casablanca rabat marrakesh marrakech tangier',
  MD: 'chișinău chisinau',
  ME: 'podgorica',
  MN: 'ulaanbaatar',
  MT: 'valletta sliema',
  NC: 'nouméa',
  NE: 'niamey',
  PA: 'panama_city panamá',
  SD: 'khartoum',
  TN: 'tunis sfax',
}

const namesOf = (list: string): string[] => list.split(' ').map(name => name.replaceAll('_', ' '))

const foreignCities = new Map(
  Object.entries(citiesAbroad).map(([code, list]) => [code, new Set(namesOf(list))]),
)
const regions = new Map<string, string>()
for (const [list, country] of [
  [britishNations, 'United Kingdom'],
  [australianStates, 'Australia'],
  [provinces, 'Canada'],
  [usStates, 'United States'],
] as const)
  for (const entry of namesOf(list)) {
    const [code = '', name = ''] = entry.split(':')
    if (code !== '') regions.set(code, country)
    regions.set(name.toLowerCase(), country)
  }

/** The country of a region, found by the region's name or upper-case code. Null if unknown. */
export const countryOfRegion = (text: string): string | null =>
  regions.get(text) ?? regions.get(text.toLowerCase()) ?? null

/** Whether the code after this city means a country and not a US state: in `Berlin, DE`, the code means Germany, not
 *  Delaware. */
export const isCityAbroad = (city: string, country: string): boolean =>
  foreignCities.get(country)?.has(city.toLowerCase()) ?? false

let countries: Map<string, string> | null = null

/** The English name of a country, found by name, abbreviation or upper-case code. Null if unknown. */
export function countryNamed(text: string): string | null {
  countries ??= readCountries()
  return countries.get(text) ?? countries.get(text.toLowerCase()) ?? null
}

/** Built on first use. Codes must be in upper case, so that "in" is not a country. */
function readCountries(): Map<string, string> {
  const names = languages.map(
    language => new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }),
  )
  const found = new Map<string, string>()
  for (const code of codes()) {
    const english = shortNames[code] ?? names[0]!.of(code)
    if (english === undefined || notCountries.has(code)) continue
    found.set(code, english).set(english.toLowerCase(), english)
    for (const language of names) addOnce(found, language.of(code)?.toLowerCase(), english)
  }
  for (const [short, code] of Object.entries(abbreviations)) found.set(short, found.get(code)!)
  return found
}

function addOnce(names: Map<string, string>, name: string | undefined, english: string): void {
  if (name !== undefined && !names.has(name)) names.set(name, english)
}

function codes(): string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  return letters.flatMap(first => letters.map(second => first + second))
}
