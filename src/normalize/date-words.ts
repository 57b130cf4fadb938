// Names of months and weekdays in many languages, full, declined and short, from Node's locale data.

/** Languages by script, common languages first. If languages disagree about a word, the first one decides. */
const languages: Array<[script: RegExp, tags: string[]]> = [
  [/\p{Script=Cyrillic}/u, ['ru', 'uk', 'bg', 'be', 'sr', 'mk', 'kk', 'ky', 'mn']],
  [/\p{Script=Arabic}/u, ['ar', 'ar-LB', 'ar-MA', 'ar-DZ', 'fa', 'ur', 'ps']],
  [/\p{Script=Devanagari}/u, ['hi', 'mr', 'ne']],
  [/\p{Script=Bengali}/u, ['bn', 'as']],
  [/\p{Script=Greek}/u, ['el']],
  [/\p{Script=Hebrew}/u, ['he']],
  [/\p{Script=Thai}/u, ['th']],
  [/\p{Script=Georgian}/u, ['ka']],
  [/\p{Script=Armenian}/u, ['hy']],
  [/\p{Script=Tamil}/u, ['ta']],
  [/\p{Script=Telugu}/u, ['te']],
  [/\p{Script=Kannada}/u, ['kn']],
  [/\p{Script=Malayalam}/u, ['ml']],
  [/\p{Script=Gujarati}/u, ['gu']],
  [/\p{Script=Gurmukhi}/u, ['pa']],
  [/\p{Script=Oriya}/u, ['or']],
  [/\p{Script=Sinhala}/u, ['si']],
  [/\p{Script=Myanmar}/u, ['my']],
  [/\p{Script=Khmer}/u, ['km']],
  [/\p{Script=Lao}/u, ['lo']],
  [/\p{Script=Ethiopic}/u, ['am']],
  [/\p{Script=Hangul}/u, ['ko']],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, ['ja']],
  [/\p{Script=Han}/u, ['zh', 'ja']],
]
const latin =
  'en de de-AT fr es it pt nl sv da nb fi pl cs sk tr hu ro ca hr sl lt lv et id vi fil az sr-Latn bs sq is gl eu ms sw af uz cy ga'.split(
    ' ',
  )

/** Forms that locale data lacks. */
const alsoMonths: Record<string, Record<string, number>> = {
  en: { sept: 9, janu: 1, febr: 2 },
  de: { maerz: 3, mrz: 3, jän: 1, feber: 2 },
  fr: { fev: 2, fevrier: 2, aout: 8, decembre: 12 },
  be: { траўня: 5, травень: 5 },
  uk: { січень: 1, лютий: 2 },
  fil: { peb: 2, pebrero: 2, hun: 6 },
  bn: { জানুয়ারী: 1, ফেব্রুয়ারী: 2 },
  es: { sep: 9, set: 9, setiembre: 9 },
  hi: { सितम्बर: 9, नवम्बर: 11, दिसम्बर: 12 },
  vi: {
    'tháng một': 1,
    'tháng giêng': 1,
    'tháng hai': 2,
    'tháng ba': 3,
    'tháng tư': 4,
    'tháng bốn': 4,
    'tháng năm': 5,
    'tháng sáu': 6,
    'tháng bảy': 7,
    'tháng bẩy': 7,
    'tháng tám': 8,
    'tháng chín': 9,
    'tháng mười': 10,
    'tháng mười một': 11,
    'tháng mười hai': 12,
    'tháng chạp': 12,
  },
}

const alsoWeekdays: Record<string, Record<string, number>> = {
  en: { tues: 2, weds: 3, thur: 4, thurs: 4 },
}

interface Words {
  /** Months by name, 1 to 12. */
  months: Map<string, number>
  /** Weekdays by name, 0 (Sunday) to 6. */
  weekdays: Map<string, number>
}

/** Maximum number of cached tables. Pages declare their language, so hostile pages could create many. */
const maxLanguages = 500
const perLanguage = new Map<string, Words>()

/** The word in lower case, without the dots and marks of short forms. */
export const plainWord = (word: string): string =>
  word
    .normalize('NFC')
    .toLowerCase()
    .replace(/[.'’׳॰\u200c\u200d]/g, '')
    .replace(/\s+/g, ' ')

/** The meaning of a word in one language. */
export interface Reading {
  language: string
  value: number
}

/** The months that a word means, 1 to 12 (13 to 24 for the Persian calendar), by language. The page's own language
 *  comes first. */
export const monthReadings = (word: string, own: string | null | undefined): Reading[] =>
  readings('months', word, own)

/** The weekdays that a word means, 0 (Sunday) to 6, by language. */
export const weekdayReadings = (word: string, own: string | null | undefined): Reading[] =>
  readings('weekdays', word, own)

/** Months whose name begins with this text, such as "верес", "studenog" or "fév". If several names match, the shortest
 *  one counts. */
export const monthsStarting = (start: string, own: string | null | undefined): Reading[] =>
  starting('months', start, own)

export const weekdaysStarting = (start: string, own: string | null | undefined): Reading[] =>
  starting('weekdays', start, own)

function readings(kind: keyof Words, word: string, own: string | null | undefined): Reading[] {
  const mine = own ? wordsOf(own)[kind].get(word) : undefined
  const others = scriptTable(word)[kind].get(word) ?? []
  return mine === undefined ? others : [{ language: own!, value: mine }, ...others]
}

function starting(kind: keyof Words, start: string, own: string | null | undefined): Reading[] {
  const tags = own ? [own, ...languagesFor(start)] : languagesFor(start)
  return tags.flatMap(language => {
    const value = startOf(wordsOf(language)[kind], start)
    return value === null ? [] : [{ language, value }]
  })
}

/** Languages that use the script of the word. */
export const languagesFor = (word: string): string[] =>
  languages.find(([script]) => script.test(word))?.[1] ?? latin

const perScript = new Map<string[], Record<keyof Words, Map<string, Reading[]>>>()

/** One table for all languages of a script, so that a word needs only one lookup. */
function scriptTable(word: string): Record<keyof Words, Map<string, Reading[]>> {
  const tags = languagesFor(word)
  let table = perScript.get(tags)
  if (table === undefined) {
    table = { months: merged(tags, 'months'), weekdays: merged(tags, 'weekdays') }
    perScript.set(tags, table)
  }
  return table
}

function merged(tags: string[], kind: keyof Words): Map<string, Reading[]> {
  const table = new Map<string, Reading[]>()
  for (const language of tags)
    for (const [word, value] of wordsOf(language)[kind]) {
      const known = table.get(word)
      if (known === undefined) table.set(word, [{ language, value }])
      else known.push({ language, value })
    }
  return table
}

function startOf(names: Map<string, number>, start: string): number | null {
  let best: [name: string, value: number] | null = null
  for (const entry of names) {
    if (!entry[0].startsWith(start) || (entry[0].includes(' ') && !start.includes(' '))) continue
    if (best === null || entry[0].length < best[0].length) best = entry
  }
  return best?.[1] ?? null
}

/** The words of one language. Built on first use. */
function wordsOf(language: string): Words {
  let words = perLanguage.get(language)
  if (words === undefined) {
    if (perLanguage.size >= maxLanguages) perLanguage.clear()
    words = readLocale(language)
    perLanguage.set(language, words)
  }
  return words
}

function readLocale(language: string): Words {
  const base = language.split('-', 1)[0]!.toLowerCase()
  const months = new Map(
    Object.entries(alsoMonths[base] ?? {}).map(([word, month]) => [plainWord(word), month]),
  )
  const weekdays = new Map(Object.entries(alsoWeekdays[base] ?? {}))
  if (!isLocale(language)) return { months, weekdays }
  const locale = `${language}-u-ca-gregory-nu-latn`
  for (const style of ['short', 'long'] as const) {
    const declined = new Intl.DateTimeFormat(locale, { day: 'numeric', month: style, timeZone: 'UTC' })
    const alone = new Intl.DateTimeFormat(locale, { month: style, timeZone: 'UTC' })
    const weekday = new Intl.DateTimeFormat(locale, { weekday: style, timeZone: 'UTC' })
    for (let index = 0; index < 12; index++)
      for (const format of [alone, declined]) addPart(months, format, Date.UTC(2024, index, 15), index + 1)
    // 7 January 2024 was a Sunday.
    for (let index = 0; index < 7; index++) addPart(weekdays, weekday, Date.UTC(2024, 0, 7 + index), index)
  }
  if (base === 'fa') addMonths(months, 'fa-u-ca-persian-nu-latn', Date.UTC(2024, 2, 25))
  return { months, weekdays }
}

/** Adds the twelve month names of another calendar, with the numbers 13 to 24. */
function addMonths(months: Map<string, number>, locale: string, first: number): void {
  const format = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' })
  for (let index = 0; index < 12; index++)
    addPart(months, format, first + index * 30.5 * 86_400_000, index + 13)
}

function addPart(names: Map<string, number>, format: Intl.DateTimeFormat, day: number, value: number): void {
  const part = format.formatToParts(day).find(({ type }) => type === 'month' || type === 'weekday')
  const word = plainWord(part?.value ?? '')
  if (word.length > 1 && !/\d/.test(word) && !names.has(word)) names.set(word, value)
}

export function isLocale(language: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language).length > 0
  } catch {
    return false
  }
}
