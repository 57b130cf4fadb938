// Which currency a sign or word in a price stands for.

/** Signs and words with one meaning. Longest first when searched. */
const signs: Record<string, string> = {
  US$: 'USD',
  CA$: 'CAD',
  C$: 'CAD',
  AU$: 'AUD',
  A$: 'AUD',
  NZ$: 'NZD',
  HK$: 'HKD',
  SG$: 'SGD',
  S$: 'SGD',
  NT$: 'TWD',
  MX$: 'MXN',
  R$: 'BRL',
  'CN¥': 'CNY',
  'S/': 'PEN',
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₽': 'RUB',
  '₩': 'KRW',
  '₺': 'TRY',
  '₴': 'UAH',
  '₪': 'ILS',
  '฿': 'THB',
  '₫': 'VND',
  '₱': 'PHP',
  '₦': 'NGN',
  '₸': 'KZT',
  '₡': 'CRC',
  '₲': 'PYG',
  円: 'JPY',
  元: 'CNY',
  원: 'KRW',
  zł: 'PLN',
  Kč: 'CZK',
  Ft: 'HUF',
  лв: 'BGN',
  руб: 'RUB',
  грн: 'UAH',
  lei: 'RON',
  Rs: 'INR',
  Rp: 'IDR',
  RM: 'MYR',
  TL: 'TRY',
  Fr: 'CHF',
  SFr: 'CHF',
  Euro: 'EUR',
  euro: 'EUR',
  euros: 'EUR',
  'kr.': 'DKK',
}

const crowns = { sv: 'SEK', da: 'DKK', nb: 'NOK', nn: 'NOK', no: 'NOK', is: 'ISK', fo: 'DKK' }

/** Signs whose meaning the page's language settles: by tag, by language, or for all others (''). */
const shared: Record<string, Record<string, string>> = {
  $: {
    '': 'USD',
    'en-CA': 'CAD',
    'fr-CA': 'CAD',
    'en-AU': 'AUD',
    'en-NZ': 'NZD',
    'en-SG': 'SGD',
    'zh-HK': 'HKD',
    'en-HK': 'HKD',
    'zh-TW': 'TWD',
    'es-MX': 'MXN',
    'es-AR': 'ARS',
    'es-CL': 'CLP',
    'es-CO': 'COP',
    'es-UY': 'UYU',
  },
  '¥': { '': 'JPY', zh: 'CNY' },
  '￥': { '': 'JPY', zh: 'CNY' },
  kr: crowns,
  Kr: crowns,
}

const codes = new Set(Intl.supportedValuesOf('currency'))
const escaped = (text: string) => text.replace(/[.$/\\]/g, '\\$&')
const words = [...Object.keys(signs), ...Object.keys(shared)].sort((a, b) => b.length - a.length)
const oneCurrency = `(?:${words.map(escaped).join('|')}|[A-Z]{3}(?![A-Za-z]))`

/** A currency that ends (starts) right where a number starts (ends). */
export const currencyBefore = new RegExp(`(?<![A-Za-z])(${oneCurrency})\\s*[-−–]?\\s*$`)
export const currencyAfter = new RegExp(`^(?:[.,]\\s?[-–—]+)?\\s*(${oneCurrency})(?![a-z])`)

/** The ISO 4217 code, or null when the sign has several meanings and the language does not say. */
export function currencyOf(sign: string, language: string | null): string | null {
  if (codes.has(sign)) return sign
  if (Object.hasOwn(signs, sign)) return signs[sign]!
  return Object.hasOwn(shared, sign) ? settle(shared[sign]!, language ?? '') : null
}

/** Any three capitals look like a code; only those that are one count. */
export const isCurrency = (sign: string): boolean =>
  codes.has(sign) || Object.hasOwn(signs, sign) || Object.hasOwn(shared, sign)

function settle(meanings: Record<string, string>, tag: string): string | null {
  return meanings[tag] ?? meanings[tag.split('-', 1)[0]!.toLowerCase()] ?? meanings[''] ?? null
}
