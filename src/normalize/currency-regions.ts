// The currency of each country, and the country that a language or domain suggests.

const users: Record<string, string> = {
  EUR: 'AD AT BE BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM TF VA XK YT AX BG',
  USD: 'US AS BQ EC FM GU IO MH MP PR PW SV TC TL UM VG VI',
  GBP: 'GB GG IM JE UK GS',
  AUD: 'AU CC CX KI NF NR TV',
  NZD: 'NZ CK NU PN TK',
  DKK: 'DK FO GL',
  NOK: 'NO BV SJ',
  CHF: 'CH LI',
  ILS: 'IL PS',
  MAD: 'MA EH',
  ZAR: 'ZA',
  XAF: 'CM CF CG GA GQ TD',
  XOF: 'BJ BF CI GW ML NE SN TG',
  XCD: 'AG AI DM GD KN LC MS VC',
  XPF: 'NC PF WF',
}

/** Currencies whose first two letters are the code of their country, such as `CZ` in `CZK`. */
const own =
  'AED AFN ALL AMD AOA ARS AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CLP CNY COP CRC CUP CVE CZK DJF DOP DZD EGP ERN ETB FJD FKP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NPR OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX UYU UZS VES VND VUV WST YER ZMW ZWG'.split(
    ' ',
  )

const byRegion = new Map<string, string>(own.map(code => [code.slice(0, 2), code]))
for (const [code, regions] of Object.entries(users))
  for (const region of regions.split(' ')) byRegion.set(region, code)

/** The ISO 4217 code for an ISO 3166 code in capitals. Null if unknown. */
export const currencyOfRegion = (region: string): string | null => byRegion.get(region) ?? null

/** The home country of a currency, whose locale data names the currency. This is the country with the first
 *  two letters of the currency code, if that country uses the currency. Null otherwise. */
export const homeOfCurrency = (code: string): string | null =>
  byRegion.get(code.slice(0, 2)) === code ? code.slice(0, 2) : null

/** Country domains that are sold to anyone, so they do not suggest a country. */
const openEndings = new Set('AI CC CO FM IO ME TV WS TK SO TO GL LY VC AG BZ'.split(' '))

/** The country of a URL's domain: `CA` for `https://shop.example.ca/x`. Null for .com, .io and similar domains. */
export function regionOfUrl(url: string): string | null {
  const ending = /^https?:\/\/[^/?#]*?(\.(?:com?|net|org))?\.([a-z]{2})(?::\d+)?(?:[/?#]|$)/i.exec(url)
  if (ending === null) return null
  const region = ending[2]!.toUpperCase()
  return (ending[1] || !openEndings.has(region)) && byRegion.has(region) ? region : null
}

/** The region in a language tag: `CA` for `fr-CA`. */
export const regionOfLanguage = (language: string | null | undefined): string | null =>
  /[-_]([A-Z]{2})\b/i.exec(language ?? '')?.[1]?.toUpperCase() ?? null

/** The region where most speakers of the language live: `SE` for `sv`. */
export function likelyRegion(language: string | null | undefined): string | null {
  if (!language) return null
  try {
    return new Intl.Locale(language.replaceAll('_', '-')).maximize().region ?? null
  } catch {
    return null
  }
}
