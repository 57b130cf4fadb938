// Parses phone numbers: `+14155550123` if the country is known, otherwise digits in groups.
import { latinDigits } from './numbers.ts'

interface PhoneHints {
  /** ISO 3166 code of the country, if known. */
  country?: string | null
}

interface Plan {
  code: string
  /** The trunk prefix, which is dialled only within the country. */
  trunk: string
}

const plan = (code: string, trunk = '0'): Plan => ({ code, trunk })

const plans: Record<string, Plan> = {
  US: plan('1', '1'),
  CA: plan('1', '1'),
  GB: plan('44'),
  IE: plan('353'),
  DE: plan('49'),
  AT: plan('43'),
  CH: plan('41'),
  FR: plan('33'),
  BE: plan('32'),
  NL: plan('31'),
  LU: plan('352', ''),
  // In Italy the leading zero is part of the number.
  IT: plan('39', ''),
  ES: plan('34', ''),
  PT: plan('351', ''),
  DK: plan('45', ''),
  NO: plan('47', ''),
  SE: plan('46'),
  FI: plan('358'),
  PL: plan('48', ''),
  CZ: plan('420', ''),
  GR: plan('30', ''),
  AU: plan('61'),
  NZ: plan('64'),
  IN: plan('91'),
  JP: plan('81'),
  CN: plan('86'),
  KR: plan('82'),
  BR: plan('55'),
  MX: plan('52', ''),
  ZA: plan('27'),
  IL: plan('972'),
  TR: plan('90'),
  SG: plan('65', ''),
  HK: plan('852', ''),
}

const extension =
  /(?:;\s?ext=|[,;]?\s?(?:extension|ext\.?|durchwahl|poste)\s?:?\s?|\s?(?:x|#)\s?)(\d{1,6})\s*$/i
const candidate = /(?:\+|\b00)?\s?\(?\d[\d\s().\-‐–/\u00a0]{4,30}\d(?:[^\d]{1,14}\d{1,6})?/
const isoDate = /^\d{4}-\d{2}-\d{2}/
const fewestDigits = 6
/** An international number has at most this many digits. */
const mostDigits = 15

/** The first number, with an extension as `;ext=5`. Null if there is none. */
export function parsePhone(text: string, hints: PhoneHints = {}): string | null {
  const found = candidate.exec(latinDigits(text).slice(0, 1_000))?.[0]?.trim()
  if (found === undefined || isoDate.test(found)) return null
  const inside = extension.exec(found)
  const number = numberOf(inside === null ? firstRun(found) : found.slice(0, inside.index), hints)
  return number === null || inside === null ? number : `${number};ext=${inside[1]}`
}

/** The text up to the first character that cannot belong to a number. */
const firstRun = (text: string): string => /^[+\d\s().\-‐–/\u00a0]+/.exec(text)?.[0] ?? text

function numberOf(written: string, hints: PhoneHints): string | null {
  const digits = written.replace(/^(\s*(?:\+|00)[\d\s]{1,6})\(0\)/, '$1').replace(/\D/g, '')
  if (digits.length < fewestDigits || digits.length > mostDigits + 2) return null
  const international = fromAbroad(written, digits) ?? fromInside(digits, hints)
  if (international !== null) return international.length <= mostDigits ? `+${international}` : null
  return digits.length <= mostDigits ? written.replace(/\D+/g, ' ').trim() : null
}

/** The digits if the number has the international form: with a plus, with 00, or as 1-800-555-0123. Null otherwise. */
function fromAbroad(written: string, digits: string): string | null {
  if (written.trimStart().startsWith('+')) return digits
  if (digits.startsWith('00') && digits.length > 9) return digits.slice(2)
  return /^\s*1[\s.-]+\(?[2-9]\d{2}\)?[\s.-]+[2-9]\d{2}[\s.-]+\d{4}\s*$/.test(written) ? digits : null
}

function fromInside(digits: string, { country }: PhoneHints): string | null {
  const own = country ? plans[country.toUpperCase()] : undefined
  if (own === undefined) return null
  const isTrunked = own.trunk !== '' && digits.startsWith(own.trunk)
  return own.code + (isTrunked ? digits.slice(own.trunk.length) : digits)
}
