// The product in the JSON state that a page embeds for its scripts, such as `__NEXT_DATA__`.
import { isObject, type JsonObject, jsonIn } from '../../model/json.ts'
import type { Json } from '../../model/record.ts'
import type { Normalizers, ReadingHints } from '../normalizers.ts'
import type { PageView } from '../page-view.ts'
import { plainTitle } from './heading.ts'
import type { Picked } from './pick.ts'

interface EmbeddedPrice {
  price: Picked<number>
  currency: Picked<string>
}

const nameKeys = ['name', 'title', 'productName', 'product_name', 'displayName']
/** Keys of prices. Current prices come before old ones. */
const priceKeys = [
  ...['currentPrice', 'current_price', 'salePrice', 'sale_price', 'finalPrice', 'final_price'],
  ...['sellingPrice', 'formattedPrice', 'price', 'priceValue', 'prices', 'pricing', 'offers', 'offer'],
]
const amountKeys = [
  ...['formatted', 'formattedValue', 'formattedPrice', 'display', 'current', 'now', 'sale', 'final'],
  ...['amount', 'value', 'price'],
]
const currencyKeys = ['currency', 'currencyCode', 'currency_code', 'priceCurrency', 'currencyIso']

/** Maximum number of characters of all states of a page together. */
const longestState = 5_000_000
const mostObjects = 100_000
const deepest = 40
const by = 'the data that the page contains for its scripts'

/** The price of the object that has the page's name. Some shops write cents, so an integer counts only with a currency sign or
 *  decimals. Otherwise the price could be wrong by a factor of 100. */
export function embeddedPrice(page: PageView, normalize: Normalizers, hints: ReadingHints): EmbeddedPrice {
  const titles = [page.text('h1'), page.meta('og:title', 'twitter:title'), page.text('title')]
    // A title may contain the name of the site after a separator, so its parts are compared too.
    .flatMap(title => [title ?? '', ...(title ?? '').split(/\s[|\-–—·:]\s/)])
    .map(plainTitle)
    .filter(title => title.length > 5)
  for (const thing of objectsIn(statesOf(page.source))) {
    if (!isNamed(thing, titles)) continue
    const found = priceOf(thing, normalize, hints)
    if (found === null) continue
    const source = { from: 'page', by } as const
    return { price: { value: found.amount, source }, currency: { value: found.currency, source } }
  }
  const missing = { value: null, source: { from: 'none', why: `not in ${by}` } } as const
  return { price: missing, currency: missing }
}

const isState = /type\s*=\s*["']?application\/(?:[\w.-]+\+)?json/i
const isLinked = /type\s*=\s*["']?application\/ld\+json/i
const assigned = /^\s*(?:(?:window|self|globalThis)\.|var |let |const )[\w$.[\]"']{2,60}\s*=\s*(?=[{[])/

function statesOf(source: string): Json[] {
  const states: Json[] = []
  let left = longestState
  for (const { attributes, text } of scriptsIn(source)) {
    if (text.length < shortestState || text.length > left || isLinked.test(attributes)) continue
    const start = isState.test(attributes) ? 0 : (assigned.exec(text)?.[0].length ?? -1)
    if (start < 0) continue
    left -= text.length
    const state = (jsonIn(text.slice(start).replace(/;\s*$/, '')) ?? null) as Json
    if (state !== null) states.push(state)
  }
  return states
}

const shortestState = 20

function* scriptsIn(source: string): Generator<{ attributes: string; text: string }> {
  for (let at = source.indexOf('<script'); at >= 0; at = source.indexOf('<script', at)) {
    const start = source.indexOf('>', at)
    const end = source.indexOf('</script', start)
    if (start < 0 || end < 0) return
    yield { attributes: source.slice(at, start), text: source.slice(start + 1, end) }
    at = end
  }
}

function* objectsIn(states: Json[]): Generator<JsonObject> {
  const open = states.map(value => ({ value, depth: 0 })).toReversed()
  for (let seen = 0; open.length > 0 && seen < mostObjects; ) {
    const { value, depth } = open.pop()!
    if (typeof value !== 'object' || value === null) continue
    seen++
    if (!Array.isArray(value)) yield value
    if (depth === deepest) continue
    for (const inner of Object.values(value).toReversed())
      if (typeof inner === 'object' && inner !== null) open.push({ value: inner, depth: depth + 1 })
  }
}

/** Whether the page's title consists mostly of the object's name. */
function isNamed(thing: JsonObject, titles: string[]): boolean {
  return nameKeys.some(key => {
    const written = thing[key]
    const name = typeof written === 'string' && written.length < 300 ? plainTitle(written) : ''
    return name.length > 5 && titles.some(title => title.includes(name) && name.length * 2 > title.length)
  })
}

interface Found {
  amount: number
  currency: string | null
}

function priceOf(holder: JsonObject, normalize: Normalizers, hints: ReadingHints, depth = 0): Found | null {
  const stated = currencyOf(holder) ?? hints.currency ?? null
  for (const key of depth === 0 ? priceKeys : [...amountKeys, ...priceKeys]) {
    const value = holder[key]
    const found = amountOf(value, normalize, { ...hints, currency: stated })
    if (found !== null) return { ...found, currency: found.currency ?? stated }
    const inner = Array.isArray(value) ? value[0] : value
    const below =
      depth < 3 && isObject(inner)
        ? priceOf(inner, normalize, { ...hints, currency: stated }, depth + 1)
        : null
    if (below !== null) return below
  }
  return null
}

function amountOf(value: Json | undefined, normalize: Normalizers, hints: ReadingHints): Found | null {
  if (typeof value === 'number')
    return value > 0 && !Number.isInteger(value) ? { amount: value, currency: null } : null
  if (typeof value !== 'string' || value.length > 40) return null
  const money = normalize.money(value, hints)
  const isPlain = /^\s*\d+\s*$/.test(value)
  return money === null || money.amount <= 0 || isPlain
    ? null
    : { amount: money.amount, currency: money.currency }
}

function currencyOf(holder: JsonObject): string | null {
  const code = currencyKeys.map(key => holder[key]).find(value => typeof value === 'string')
  return typeof code === 'string' && /^[A-Za-z]{3}$/.test(code) ? code.toUpperCase() : null
}
