// The price that a reader of a product page sees.
import type { Line } from '../../model/page/line.ts'
import type { Normalizers, ReadingHints } from '../normalizers.ts'
import type { PageView } from '../page-view.ts'
import { headingIndex } from './heading.ts'
import type { Picked } from './pick.ts'

const priceMarks = /price|prix|preis|precio|prezzo|preco|cena|kaina|(?:^|[\s_-])hind(?:$|[\s_-])|tsena|amount/
/** Class names of struck-out or saved amounts. These are never the price. */
const struckMarks = /strike|struck|saving|discount-?amount|(?:^|[\s_-])(?:del|save|rrp|uvp|msrp)(?:$|[\s_-])/
/** Class names of old prices, unit prices, delivery costs or monthly rates. Some shops use these names for their only price. */
const otherMarks =
  /(?:^|[\s_-])(?:old|was|list|original|before|regular|crossed|previous|unit|per|shipping|delivery|installments?|monthly|filter|slider|compare|tax|bonus|points)(?=$|[\s_-])|oldprice|priceold|listprice|wasprice|twister/
const labelWords =
  /[+−-]\s*$|\d|shipping|versand|livraison|spedizione|delivery|save|rrp|\bwas\b|uvp|statt|previously|excl|without|ohne|brez|total|gesamt|used|gift|over|more than|省|原[價价]|定価|運費|运费/i
const above = 100
const below = 100
const longestLine = 250
/** Maximum number of characters of a price text before a parenthesis or a plus sign, as in
 *  "66,75 € (66,75 € / unit) + delivery". */
const longestLead = 60

interface Shown {
  amount: number
  currency: string | null
  score: number
  index: number
}

interface ShownPrice {
  price: Picked<number>
  currency: Picked<string>
}

/** The best price near the heading. Of two prices in consecutive lines the lower one counts, because the other is the old
 *  price. */
export function shownPrice(page: PageView, normalize: Normalizers, hints: ReadingHints): ShownPrice {
  const lines = page.lines()
  const heading = headingIndex(page, lines)
  const start = Math.max(0, heading - above)
  const end = heading === -1 ? lines.length : heading + below
  const prices = lines.slice(start, end).flatMap((line, offset) => {
    const distance = heading === -1 ? null : start + offset - heading
    const near = distance === null ? Math.max(-10, 10 - offset / 20) : nearness(distance)
    const price = readPrice(line, near, normalize, hints)
    return price === null ? [] : [{ ...price, index: start + offset }]
  })
  const best = prices.reduce<Shown | null>(
    (one, other) => (one === null || other.score > one.score ? other : one),
    null,
  )
  const by = 'the price near the heading'
  const missing = {
    value: null,
    source: { from: 'none', why: `neither in the offers nor near the heading` },
  } as const
  if (best === null || best.score < enough) return { price: missing, currency: missing }
  const cut = prices.find(
    ({ index, amount, score }) =>
      index === best.index + 1 && isCut(best.amount, amount) && score > best.score - 6,
  )
  const source = { from: 'css', by } as const
  const { amount, currency } = cut ?? best
  return {
    price: { value: amount, source },
    currency: currency === null ? missing : { value: currency, source },
  }
}

const enough = 12
const isCut = (before: number, now: number): boolean => now < before && now > before * 0.3

function readPrice(
  line: Line,
  near: number,
  normalize: Normalizers,
  hints: ReadingHints,
): Omit<Shown, 'index'> | null {
  const { text, marks } = line
  if (line.isBeside || text.length > longestLine || line.block === 'option') return null
  const lead = /^[^(+]*/.exec(text)![0].trim()
  const first = lead.search(/\d/)
  if (first === -1 || lead.length > longestLead) return null
  const money = normalize.money(lead, hints)
  if (money === null || money.amount <= 0) return null
  const isMarked = priceMarks.test(marks)
  if (!isMarked && money.currency === null) return null
  let score = near
  if (isMarked) score += 10
  if (money.currency !== null) score += 6
  if (lead.length <= 16) score += 6
  if (labelWords.test(lead.slice(0, first))) score -= 14
  if (struckMarks.test(marks)) score -= 30
  else if (otherMarks.test(marks)) score -= 8
  return { ...money, score }
}

function nearness(distance: number): number {
  if (distance < 0) return Math.max(-12, 4 + distance)
  return distance <= 20 ? 20 - distance : (20 - distance) / 3
}
