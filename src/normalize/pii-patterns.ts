// Patterns of personal data in text, with their validation and their masks.

export interface PiiKind {
  /** The public name. `number` means a number in a field with a name such as `phone`. */
  name: 'email' | 'phone' | 'payment card' | 'IBAN' | 'social security number' | 'IP address' | 'number'
  /** A fast test that runs before the pattern. */
  hint: RegExp
  /** A global pattern. Every repetition is bounded, so that hostile text does not cause quadratic time. */
  pattern: RegExp
  /** Length of the valid part of a match; 0 if it is not valid. */
  lengthOf: (match: string) => number
  mask: (match: string) => string
}

const stars = (text: string, keep: number): string => {
  let left = text.replace(/[^\p{L}\p{N}*]/gu, '').length - keep
  return text.replace(/[\p{L}\p{N}*]/gu, character => (left-- > 0 ? '*' : character))
}

const local = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}._+'-]{0,62}[\\p{L}\\p{N}_+-])?"
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'
const at = '(?:@|%40|\\s?[[({]\\s?(?:at|@)\\s?[\\])}]\\s?)'
const dot = '(?:\\.|\\s?[[({]\\s?(?:dot|\\.)\\s?[\\])}]\\s?)'

const email: PiiKind = {
  name: 'email',
  hint: /@|%40|[[({]\s?at\s?[\])}]/i,
  pattern: new RegExp(
    `(?<![\\p{L}\\p{N}._+*'-])${local}${at}${label}(?:${dot}${label}){0,7}${dot}\\p{L}{2,63}`,
    'giu',
  ),
  lengthOf: match => (/\.(?:png|jpe?g|gif|svg|webp|avif|css|js)$/i.test(match) ? 0 : match.length),
  // For example `j***@e***.com`. The mask also hides the lengths of the names.
  mask: match => {
    const [name, host] = match.split(new RegExp(at, 'iu'), 2) as [string, string]
    const ending = host.slice(Math.max(host.lastIndexOf('.'), host.search(/\P{L}\p{L}+$/u)) + 1)
    return `${[...name][0]}***@${[...host][0]}***.${ending}`
  },
}

const card: PiiKind = {
  name: 'payment card',
  hint: /\d/,
  pattern: /(?<![\p{L}\p{N}.+-])[2-6]\d{3}(?:[ -]?\d){10,15}(?![\p{L}\p{N}])/gu,
  lengthOf: match => (isCard(match.replace(/\D/g, '')) ? match.length : 0),
  mask: match => stars(match, 4),
}

/** Checks issuer and length first, then the checksum, which one in ten random numbers passes. */
function isCard(digits: string): boolean {
  const ofIssuer =
    /^(?:4\d{15}(?:\d{3})?|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|[45]\d{2})\d{12,15})$/
  return ofIssuer.test(digits) && luhn(digits) % 10 === 0
}

function luhn(digits: string): number {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum
}

const ibanLengths = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 ' +
    'FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 ' +
    'MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 ' +
    'SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
  )
    .split(' ')
    .map(entry => [entry.slice(0, 2), Number(entry.slice(2))]),
)

const iban: PiiKind = {
  name: 'IBAN',
  hint: /[A-Z]{2}\d{2}/,
  pattern: /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}/gu,
  // A word in capitals may follow the IBAN, so the country determines the length of the IBAN.
  lengthOf: match => {
    const end = endOfCharacters(match, ibanLengths.get(match.slice(0, 2)) ?? 0)
    return end > 0 && remainder97(match.slice(0, end).replaceAll(' ', '')) === 1 ? end : 0
  },
  mask: match => match.slice(0, 2) + stars(match.slice(2), 4),
}

function endOfCharacters(text: string, count: number): number {
  let left = count
  for (let end = 0; end < text.length && left > 0; end++)
    if (text[end] !== ' ' && --left === 0) return end + 1
  return 0
}

/** The IBAN checksum: letters count as 10 to 35, and the first four characters move to the end. */
function remainder97(compact: string): number {
  let rest = 0
  for (const character of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest
}

const socialSecurity: PiiKind = {
  name: 'social security number',
  hint: /\d-\d/,
  pattern: /(?<![\p{L}\p{N}-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\p{L}\p{N}-])/gu,
  lengthOf: match => match.length,
  mask: match => stars(match, 4),
}

/** Words that mark the dotted number after them as a version: `Chrome/156.0.0.0`, `build 10.0.0.1`,
 *  `Version=4.0.0.0`. */
const versionBefore =
  '[\\p{L}\\p{N}_)]/|\\b(?:v|ver|version|release|build|rev|revision|firmware|driver|update|chrome|chromium|firefox|safari|edge|opera|webkit|android|ios|macos|windows)[ =:"\'\u00a0.]{1,3}'

const address: PiiKind = {
  name: 'IP address',
  hint: /\d\.\d|:[0-9a-f]{0,4}:/i,
  pattern: new RegExp(
    `(?<![\\p{L}\\p{N}.:]|${versionBefore})(?:(?:\\d{1,3}\\.){3}\\d{1,3}(?!\\.?\\d)|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4})(?![\\p{L}\\p{N}:])`,
    'giu',
  ),
  lengthOf: match => (isAddress(match) ? match.length : 0),
  // The mask shows the network and hides the machine.
  mask: match =>
    match.includes(':') ? `${match.split(':', 1)[0]}:***` : match.replace(/\.\d+\.\d+$/, '.*.*'),
}

function isAddress(text: string): boolean {
  // An address such as `156.0.0.0` is a version or a whole network, never one machine.
  if (text.includes('.'))
    return text.split('.').every(part => Number(part) <= 255) && !text.endsWith('.0.0.0')
  return /\d/.test(text) && text.length > 5 && URL.canParse(`http://[${text}]/`)
}

const gap = '[ .\\u00a0-]'
const phone: PiiKind = {
  name: 'phone',
  hint: /\d[\s\S]{0,3}\d/,
  pattern: new RegExp(
    '(?<![\\p{L}\\p{N}.,$€£#/=_*-]|\\d[ \\u00a0])(?:' +
      [
        `\\+\\d{1,3}(?:[ ./\\u00a0-]{0,2}\\(?\\d{1,5}\\)?){2,6}`,
        `(?:1${gap})?\\([2-9]\\d{2}\\)${gap}?[2-9]\\d{2}${gap}\\d{4}`,
        `(?:1${gap})?[2-9]\\d{2}(${gap})[2-9]\\d{2}\\1\\d{4}`,
        `0[1-9](?:${gap}?\\d{2}){4}`,
        `\\(?0[1-9]\\d{1,3}\\)?[ /\\u00a0-]{1,3}\\d{3,8}(?:[ -]\\d{1,5}){0,3}`,
      ].join('|') +
      ')(?![\\p{L}\\p{N}]|[.,]\\d)',
    'gu',
  ),
  lengthOf: match => {
    const digits = match.replace(/\D/g, '').length
    return digits >= 8 && digits <= 15 ? match.length : 0
  },
  mask: match => stars(match, 2),
}

/** The order in which kinds are searched: kinds with a checksum first. */
export const piiKinds: readonly PiiKind[] = [iban, card, socialSecurity, email, address, phone]
export const emailKind = email

/** Names of fields that contain personal numbers, such as `phone` or `iban`. */
export const personalNames =
  /(?:^|_|-)(?:phone|telephone|tel|mobile|fax|ssn|iban|card_?number|passport)(?:$|_|-)|(?:Phone|Telephone|Mobile|Fax)$/i
export const maskNumber = (text: string): string => stars(text, 2)
