// Symbols and words of currencies. They come from Node's locale data and from a table of those that only shops use.
import { homeOfCurrency } from './currency-regions.ts'

/** Symbols that locale data lacks, each with the currencies that it can mean. The first currency is the
 *  default. A `-` in first place means that the symbol has no default. */
const written: Record<string, string> = {
  $: 'USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU BBD BMD BND BSD BZD CUP DOP FJD GYD JMD KYD LRD NAD SBD SRD TTD XCD',
  '＄': 'USD TWD HKD SGD',
  dollar: 'USD CAD AUD NZD SGD HKD',
  dollars: 'USD CAD AUD NZD SGD HKD',
  'U.S.$': 'USD',
  U$S: 'USD',
  U$D: 'USD',
  USD$: 'USD',
  C$: 'CAD NIO',
  CAN$: 'CAD',
  AU$: 'AUD',
  SG$: 'SGD',
  S$: 'SGD',
  MX$: 'MXN',
  RD$: 'DOP',
  TT$: 'TTD',
  GY$: 'GYD',
  J$: 'JMD',
  BZ$: 'BZD',
  N$: 'NAD',
  BD$: 'BBD',
  FJ$: 'FJD',
  SI$: 'SBD',
  L$: 'LRD',
  Z$: 'ZWL',
  NT$: 'TWD',
  HK$: 'HKD',
  NZ$: 'NZD',
  CA$: 'CAD',
  A$: 'AUD',
  US$: 'USD',
  EC$: 'XCD',
  'CN¥': 'CNY',
  $U: 'UYU',
  $b: 'BOB',
  '€': 'EUR',
  '￡': 'GBP',
  '£': 'GBP EGP LBP SYP SDG SSP FKP GIP SHP',
  '₤': 'GBP',
  pound: 'GBP EGP',
  pounds: 'GBP EGP',
  '¥': 'JPY CNY',
  '￥': 'JPY CNY',
  yen: 'JPY',
  円: 'JPY',
  圓: 'TWD HKD',
  元: 'CNY TWD HKD',
  人民币: 'CNY',
  人民幣: 'CNY',
  RMB: 'CNY',
  yuan: 'CNY',
  원: 'KRW',
  '₩': 'KRW KPW',
  kr: 'SEK NOK DKK ISK',
  'kr.': 'DKK SEK NOK ISK',
  euro: 'EUR',
  euros: 'EUR',
  евро: 'EUR',
  ευρώ: 'EUR',
  يورو: 'EUR',
  р: 'RUB BYN',
  'р.': 'RUB BYN',
  руб: 'RUB BYN',
  'руб.': 'RUB BYN',
  рублей: 'RUB BYN',
  rub: 'RUB',
  rbl: 'RUB',
  'бел.руб.': 'BYN',
  бел: 'BYN',
  грн: 'UAH',
  'грн.': 'UAH',
  гривень: 'UAH',
  тг: 'KZT',
  'тг.': 'KZT',
  тенге: 'KZT',
  лв: 'BGN',
  'лв.': 'BGN',
  ден: 'MKD',
  'ден.': 'MKD',
  дин: 'RSD',
  'дин.': 'RSD',
  рсд: 'RSD',
  din: 'RSD',
  'din.': 'RSD',
  сум: 'UZS',
  сўм: 'UZS',
  "so'm": 'UZS',
  soʻm: 'UZS',
  сом: 'KGS',
  som: 'KGS UZS',
  zł: 'PLN',
  'zł.': 'PLN',
  zl: 'PLN',
  złotych: 'PLN',
  Kč: 'CZK',
  'Kč.': 'CZK',
  Kc: 'CZK',
  Sk: 'SKK',
  'Ft.': 'HUF',
  forint: 'HUF',
  lei: 'RON MDL',
  leu: 'RON MDL',
  kn: 'HRK',
  KM: 'BAM',
  КМ: 'BAM',
  Lek: 'ALL',
  lekë: 'ALL',
  TL: 'TRY',
  lira: 'TRY',
  fr: 'CHF',
  'fr.': 'CHF',
  sfr: 'CHF',
  'sfr.': 'CHF',
  franc: '- CHF XAF XOF',
  francs: '- CHF XAF XOF',
  '₣': '- CHF XPF',
  Rs: 'INR PKR LKR NPR MUR SCR',
  'Rs.': 'INR PKR LKR NPR MUR SCR',
  Re: 'INR PKR LKR NPR',
  '₨': 'PKR INR LKR NPR MUR SCR',
  rupees: 'INR PKR LKR NPR MUR',
  रु: 'INR NPR',
  'रु.': 'INR NPR',
  রু: 'INR',
  Tk: 'BDT',
  'Tk.': 'BDT',
  টাকা: 'BDT',
  බ: 'LKR',
  රු: 'LKR',
  'රු.': 'LKR',
  Rp: 'IDR',
  'Rp.': 'IDR',
  RM: 'MYR',
  '₫': 'VND',
  đ: 'VND',
  VNĐ: 'VND',
  đồng: 'VND',
  บาท: 'THB',
  baht: 'THB',
  '₱': 'PHP CUP',
  '₪': 'ILS',
  'ש"ח': 'ILS',
  'ש״ח': 'ILS',
  שקל: 'ILS',
  nis: 'ILS',
  R: 'ZAR',
  Q: 'GTQ',
  L: 'HNL ALL',
  P: '- RUB PHP BWP',
  D: '- GMD',
  E: '- SZL',
  K: '- MMK PGK MWK ZMW',
  'Lps.': 'HNL',
  Lps: 'HNL',
  'S/.': 'PEN',
  'S/': 'PEN',
  'B/.': 'PAB',
  Bs: 'VES BOB',
  'Bs.': 'VES BOB',
  'Bs.F.': 'VES',
  'Bs.S.': 'VES',
  'Gs.': 'PYG',
  Gs: 'PYG',
  '₵': 'GHS',
  KSh: 'KES',
  'KSh.': 'KES',
  KShs: 'KES',
  TSh: 'TZS',
  USh: 'UGX',
  Birr: 'ETB',
  Nfk: 'ERN',
  نافكا: 'ERN',
  FRw: 'RWF',
  FBu: 'BIF',
  GFr: 'GNF',
  MT: 'MZN',
  MTn: 'MZN',
  UM: 'MRU',
  Vt: 'VUV',
  Esc: '- CVE PTE',
  Rf: 'MVR',
  lari: 'GEL',
  ლ: 'GEL',
  man: 'AZN',
  manat: 'AZN TMT',
  Dhs: 'AED MAD',
  'Dhs.': 'AED MAD',
  Dh: 'AED MAD',
  درهم: 'AED MAD',
  SR: 'SAR',
  ريال: '- SAR QAR OMR YER',
  ریال: 'IRR',
  '﷼': '- SAR IRR QAR OMR YER',
  // A toman is ten rials, so IRR would be wrong by a factor of ten. IRT is a common, unofficial code for it.
  تومان: 'IRT',
  تومن: 'IRT',
  KD: 'KWD',
  BD: 'BHD',
  JD: 'JOD',
  LD: 'LYD LRD',
  DT: 'TND',
  DA: 'DZD',
  دينار: '- KWD JOD BHD IQD LYD TND DZD',
  'دينار كويتي': 'KWD',
  'دينار أردني': 'JOD',
  جنيه: 'EGP SDG',
  'L.E.': 'EGP',
  LE: 'EGP',
  'ج.س': 'SDG',
  'L.L.': 'LBP',
  '؋': 'AFN',
  '₿': 'BTC',
  Ƀ: 'BTC',
  BTC: 'BTC',
}

/** Codes of former currencies, which old pages use. */
const formerCodes =
  'ATS BEF CYP DEM EEK ESP FIM FRF GRD HRK IEP ITL LTL LUF LVL MTL NLG PTE ROL RUR SIT SKK TRL BYR BTC IRT'.split(
    ' ',
  )
export const codes = new Set([...Intl.supportedValuesOf('currency'), ...formerCodes])

export interface Sign {
  /** Currencies that the symbol can mean. */
  meanings: string[]
  /** The default meaning; null if there is none. */
  usual: string | null
}

let table: Map<string, Sign> | null = null

/** The meaning of a symbol or word in lower case. The table is built on first use, because that takes about 60 ms. */
export function signOf(lower: string): Sign | undefined {
  table ??= buildTable()
  return table.get(lower)
}

/** A symbol has at most this many characters. */
export const longestSign = 24

function buildTable(): Map<string, Sign> {
  const signs = new Map<string, Sign>()
  for (const [sign, meanings] of Object.entries(written)) {
    const [first, ...rest] = meanings.split(' ')
    signs.set(sign.toLowerCase(), {
      meanings: first === '-' ? rest : [first!, ...rest],
      usual: first === '-' ? null : first!,
    })
  }
  for (const code of codes) for (const sign of localeSigns(code)) addSign(signs, sign, code)
  return signs
}

/** Adds a symbol from locale data. Symbols in the table `written` keep their default. Other symbols that several
 *  currencies share have no default. */
function addSign(signs: Map<string, Sign>, sign: string, code: string): void {
  const known = signs.get(sign)
  if (known === undefined) signs.set(sign, { meanings: [code], usual: code })
  else if (!known.meanings.includes(code)) {
    known.meanings.push(code)
    if (!Object.hasOwn(written, sign) && !writtenLower.has(sign)) known.usual = null
  }
}

const writtenLower = new Set(Object.keys(written).map(sign => sign.toLowerCase()))

/** The English symbol of a currency, and its symbol and name in the language of its country. */
function localeSigns(code: string): Set<string> {
  const home = homeOfCurrency(code)
  const english = [signIn('en', code, 'narrowSymbol')]
  if (home === null) return usable(english, code)
  const locale = new Intl.Locale(`und-${home}`).maximize().toString()
  const name = signIn(locale, code, 'name')
  const words = name.split(/\s+/)
  return usable(
    [
      ...english,
      signIn(locale, code, 'symbol'),
      name,
      // Single words of the name: "ლარი" from "ქართული ლარი", "peso" from "peso mexicano".
      ...(words.length <= 2 ? words.filter(word => word.length > 2) : []),
    ],
    code,
  )
}

function usable(signs: string[], code: string): Set<string> {
  const dotless = signs.map(sign => sign.replace(/\.$/, ''))
  return new Set(
    [...signs, ...dotless].filter(
      sign =>
        sign !== '' && sign.length <= longestSign && sign !== code.toLowerCase() && !isLetter.test(sign),
    ),
  )
}

const isLetter = /^[a-z]$/

function signIn(
  locale: string,
  currency: string,
  currencyDisplay: 'narrowSymbol' | 'symbol' | 'name',
): string {
  const parts = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay }).formatToParts(
    5,
  )
  const value = parts.find(({ type }) => type === 'currency')?.value ?? ''
  return value
    .replace(/[\u200e\u200f\u061c]/g, '')
    .trim()
    .toLowerCase()
}

const threeDecimals = new Map<string, boolean>()

/** True if prices in this currency have three decimals, as in Kuwaiti dinars. */
export function hasThreeDecimals({ meanings }: Sign): boolean {
  const [currency] = meanings
  if (meanings.length !== 1 || !currency) return false
  let known = threeDecimals.get(currency)
  if (known === undefined) {
    const { maximumFractionDigits } = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
    }).resolvedOptions()
    known = maximumFractionDigits === 3
    threeDecimals.set(currency, known)
  }
  return known
}
