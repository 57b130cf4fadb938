// Which scores are shown, and in which order.
import type { CorpusName } from './corpus.ts'

const columns: Record<CorpusName, Array<[heading: string, figure: string]>> = {
  aeb: columnsOf('f1 precision recall'),
  trafilatura: columnsOf('f1 precision recall accuracy'),
  recipes: [
    ['lines kept, by hash', 'lines_kept_by_hash'],
    ['lost over half, by hash', 'lost_over_half_by_hash'],
    ['lines kept', 'lines_kept'],
    ['lost over half', 'lost_over_half'],
    ['share of the page', 'share_of_page_kept'],
  ],
  traps: [
    ['passed', 'passed'],
    ['must have', 'must_have'],
    ['kept out', 'must_not_have_kept_out'],
  ],
  readability: [
    ...columnsOf('f1 precision recall'),
    ['title', 'title_match'],
    ['byline', 'byline_match'],
    ['published', 'publishedTime_match'],
    ['site', 'siteName_match'],
    ['language', 'lang_match'],
    ['excerpt', 'excerpt_match'],
  ],
  products: ['price', 'currency', 'sku', 'availability', 'brand', 'gtin'].map(name => [name, `${name}_f1`]),
  'publish-dates': columnsOf('right none wrong'),
  prices: [
    ['amounts right', 'amounts_right'],
    ['currency given', 'currencies_given'],
    ['currency right', 'currencies_right'],
  ],
  dates: [
    ['dates_parsing', 'dates_parsing'],
    ['with a year', 'of_which_year_given'],
    ['with_normalization', 'with_normalization'],
  ],
}

function columnsOf(names: string): Array<[string, string]> {
  return names.split(' ').map(name => [name, name])
}

export const measuresOf = (name: CorpusName): ReadonlyArray<[heading: string, figure: string]> =>
  columns[name]

const counts = /^(?:passed|right|none|wrong|lost_|amounts_|currencies_)/

export function shown(figure: string, value: number | string | undefined): string {
  if (typeof value !== 'number') return value ?? '–'
  return counts.test(figure) ? String(value) : value.toFixed(3).replace(/^0/, '')
}
