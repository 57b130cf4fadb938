// The target scores. They apply to the half of each corpus that developers may see.
import type { CorpusName } from './corpus.ts'

type Bound = ['at least' | 'at most', number]
const atLeast = (value: number): Bound => ['at least', value]
const atMost = (value: number): Bound => ['at most', value]

const targets: Partial<Record<CorpusName, Record<string, Bound>>> = {
  aeb: { f1: atLeast(0.968), precision: atLeast(0.95), recall: atLeast(0.975) },
  trafilatura: { f1: atLeast(0.93) },
  recipes: { lines_kept_by_hash: atLeast(0.985), lost_over_half_by_hash: atMost(1) },
  traps: { passed: atLeast(31) },
  readability: {
    title_match: atLeast(0.88),
    byline_match: atLeast(0.75),
    publishedTime_match: atLeast(0.93),
  },
  products: {
    price_f1: atLeast(0.92),
    availability_f1: atLeast(0.9),
    sku_f1: atLeast(0.78),
    brand_f1: atLeast(0.78),
  },
  'publish-dates': { right: atLeast(228), wrong: atMost(12) },
  prices: { amounts_right: atLeast(529), currencies_right: atLeast(435) },
}

/** The target and whether it is met, like `≥ .930: met`. Empty without a target. */
export function verdict(name: CorpusName, figure: string, value: number | string | undefined): string {
  const bound = targets[name]?.[figure]
  if (bound === undefined || typeof value !== 'number') return ''
  const [kind, limit] = bound
  const isMet = kind === 'at least' ? value >= limit : value <= limit
  const written = limit < 1 ? limit.toFixed(3).replace(/^0/, '') : String(limit)
  return `${kind === 'at least' ? '≥' : '≤'} ${written}: ${isMet ? 'met' : 'MISSED'}`
}
