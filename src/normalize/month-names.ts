// Month names in the languages of the world, full, declined and short, as Node's own locale data knows them.

/** Looked through when the page's own language does not know the word; the first to know it wins. */
const commonLanguages =
  'en de de-AT fr es it pt nl sv da nb fi pl ru uk cs sk tr hu ro el bg ca hr sl lt lv et id'.split(' ')

/** What locale data leaves out but pages write. */
const alsoWritten: Record<string, number> = {
  sept: 9,
  märz: 3,
  maerz: 3,
  mrz: 3,
  juni: 6,
  juli: 7,
  dez: 12,
  fev: 2,
}

/** Pages name their own language, so the number of names kept has a bound. */
const maxLanguages = 500
const perLanguage = new Map<string, Map<string, number>>()

/** 1 to 12, or 0 for any other word. */
export function monthOf(word: string, language: string | null | undefined): number {
  const name = word.toLowerCase()
  const own = language ? namesOf(language).get(name) : undefined
  return own ?? namesOf('').get(name) ?? 0
}

/** Names of one language, or of all the common ones for ''. Made on first use. */
function namesOf(language: string): Map<string, number> {
  let names = perLanguage.get(language)
  if (names === undefined) {
    if (perLanguage.size >= maxLanguages) perLanguage.clear()
    names = language === '' ? commonNames() : readLocale(language)
    perLanguage.set(language, names)
  }
  return names
}

function commonNames(): Map<string, number> {
  const entries = commonLanguages.toReversed().flatMap(language => [...readLocale(language)])
  return new Map([...Object.entries(alsoWritten), ...entries])
}

function readLocale(language: string): Map<string, number> {
  const names = new Map<string, number>()
  if (!isLocale(language)) return names
  for (const month of ['short', 'long'] as const) {
    const declined = new Intl.DateTimeFormat(language, { day: 'numeric', month, timeZone: 'UTC' })
    const alone = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' })
    for (let index = 0; index < 12; index++) {
      for (const format of [declined, alone]) addName(names, format, index)
    }
  }
  return names
}

function addName(names: Map<string, number>, format: Intl.DateTimeFormat, index: number): void {
  const part = format.formatToParts(Date.UTC(2024, index, 15)).find(({ type }) => type === 'month')
  const word = part?.value.toLowerCase().match(/\p{L}+$|\p{L}+(?=\.)/u)?.[0]
  if (word !== undefined && word.length > 1) names.set(word, index + 1)
}

function isLocale(language: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language).length > 0
  } catch {
    return false
  }
}
