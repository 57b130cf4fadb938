// Finds the product that a page is about, among all products in its structured data.

import { isObject, type JsonObject } from '../../model/json.ts'
import type { Thing } from '../../model/page/thing.ts'
import type { Json } from '../../model/record.ts'
import type { PageView } from '../page-view.ts'
import { plainTitle } from './heading.ts'
import { type Candidate, textOf, valuesAt } from './pick.ts'

const types = [
  'ProductGroup',
  'Product',
  'IndividualProduct',
  'ProductModel',
  'SomeProducts',
  'Book',
  'Vehicle',
  'Car',
]

export interface ProductEntity {
  /** Descriptions of the product, best first. It may be described in JSON-LD and in microdata. */
  things: Thing[]
  /** The offers of the product and of its variants. */
  offers: Array<{ from: Candidate['from']; offer: JsonObject }>
}

export function mainProduct(page: PageView): ProductEntity {
  const all = page.things().filter(({ types: own }) => own.some(type => types.includes(type)))
  const inside = new Set(all.flatMap(({ properties }) => nested(properties)))
  const outer = all.filter(({ properties }) => !inside.has(properties))
  const named = outer.filter(thing => isNamed(page, thing))
  const things = named.length > 0 ? named : outer.slice(0, 1)
  return {
    things,
    offers: things.flatMap(({ from, properties }) => offersOf(properties).map(offer => ({ from, offer }))),
  }
}

/** Objects nested in `value`: variants, related products, parts. */
function nested(value: Json, depth = 0): Json[] {
  if (typeof value !== 'object' || value === null || depth > 5) return []
  const inner = Array.isArray(value) ? value : Object.values(value)
  return inner.flatMap(item =>
    typeof item === 'object' && item !== null ? [item, ...nested(item, depth + 1)] : [],
  )
}

/** Whether the page's title contains the name. Names of other products on the page are not in the title. */
function isNamed(page: PageView, { properties }: Thing): boolean {
  const name = plainTitle(textOf(properties.name) ?? '')
  if (name.length < 3) return false
  const titles = [page.text('h1'), page.meta('og:title'), page.text('title')].map(title =>
    plainTitle(title ?? ''),
  )
  return titles.some(title => title.includes(name) || (title.length > 5 && name.includes(title)))
}

/** All offers of a product. Aggregates and lists contain offers, and a product group has the offers of its variants. */
function offersOf(holder: JsonObject, depth = 0): JsonObject[] {
  if (depth > 4) return []
  const own = objectsIn(holder.offers)
  const variants = depth === 0 ? [...objectsIn(holder.hasVariant), ...objectsIn(holder.model)] : []
  return [
    ...own.flatMap(offer => [offer, ...offersOf(offer, depth + 1)]),
    ...variants.flatMap(variant => offersOf(variant, 1)),
  ]
}

const objectsIn = (value: Json | undefined): JsonObject[] =>
  (Array.isArray(value) ? value : [value]).filter(isObject)

/** Values at a path of the product itself. */
export const ofProduct = ({ things }: ProductEntity, path: string): Candidate[] =>
  things.flatMap(({ from, type, properties }) =>
    valuesAt(properties, path.split('.')).map(value => ({ from, by: `${type}.${path}`, value })),
  )

/** Values at a path, from all offers of the product. */
export const ofOffers = ({ offers }: ProductEntity, path: string): Candidate[] =>
  offers.flatMap(({ from, offer }) =>
    valuesAt(offer, path.split('.')).map(value => ({ from, by: `Offer.${path}`, value })),
  )
