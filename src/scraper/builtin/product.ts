// product: one thing for sale; structured data first, then Open Graph, then what shops usually look like.
import * as z from 'zod'
import type { Json } from '../../model/record.ts'
import { defineScraper } from '../define-scraper.ts'
import type { Normalizers } from '../normalizers.ts'
import type { PageView } from '../page-view.ts'
import { productPage } from './kinds.ts'
import { attribute, type Candidate, css, meta, pick, recordOf, textOf, things } from './pick.ts'

const text = z.string().nullable().default(null)
const number = z.number().nullable().default(null)

export const productResult = z.object({
  name: text,
  brand: text,
  sku: text,
  gtin: text,
  price: number,
  /** ISO 4217. */
  currency: text,
  /** `in_stock`, `out_of_stock`, `preorder`, …: the schema.org word in snake_case. */
  availability: text,
  rating: number,
  review_count: number,
  category: text,
  description: text,
  image: text,
})

const types = ['Product', 'ProductGroup', 'IndividualProduct', 'ProductModel', 'Book', 'Vehicle']
const prices = ['[itemprop="price"]', '.price', '.product-price', '[class*="price"]']

export const product = defineScraper({
  id: 'product',
  version: '1',
  name: 'Product',
  description: 'One thing for sale: name, brand, price, availability, rating and what identifies it.',
  input: z.object({ url: z.url() }),
  output: productResult,
  reads: productPage,
  async run({ open, emit, normalize }) {
    const page = await open()
    const [record, sources] = recordOf({
      ...identityOf(page, normalize),
      ...offerOf(page, normalize),
      ...opinionsOf(page, normalize),
      ...looksOf(page, normalize),
    })
    emit(record, sources)
  },
  validate: ([record]) =>
    record?.name || record?.price !== null
      ? null
      : 'neither a name nor a price was found; this is no product page',
})

const asText = (normalize: Normalizers) => (found: Json) => normalize.text(textOf(found))

function identityOf(page: PageView, normalize: Normalizers) {
  const read = asText(normalize)
  const gtins = ['gtin', 'gtin13', 'gtin14', 'gtin12', 'gtin8', 'isbn']
  return {
    name: pick(read, things(page, types, 'name'), css(page, 'main h1', 'h1'), meta(page, 'og:title')),
    brand: pick(
      read,
      things(page, types, 'brand'),
      things(page, types, 'manufacturer'),
      meta(page, 'product:brand', 'og:brand'),
      css(page, '.brand', '.product-brand'),
    ),
    sku: pick(read, things(page, types, 'sku'), things(page, types, 'mpn'), css(page, '.sku')),
    gtin: pick(read, ...gtins.map(name => things(page, types, name))),
  }
}

function offerOf(page: PageView, normalize: Normalizers) {
  const amounts = [
    ...things(page, types, 'offers.price'),
    ...things(page, types, 'offers.lowPrice'),
    ...things(page, types, 'offers.priceSpecification.price'),
    ...meta(page, 'product:price:amount', 'og:price:amount'),
  ]
  const shown = css(page, ...prices)
  return {
    price: pick(found => normalize.money(textOf(found))?.amount ?? null, amounts, shown),
    currency: pick(
      found => currencyOf(found, normalize),
      things(page, types, 'offers.priceCurrency'),
      things(page, types, 'offers.priceSpecification.priceCurrency'),
      meta(page, 'product:price:currency', 'og:price:currency'),
      shown,
    ),
    availability: pick(
      availabilityOf,
      things(page, types, 'offers.availability'),
      meta(page, 'product:availability', 'og:availability'),
      css(page, '.availability', '.stock'),
    ),
  }
}

function opinionsOf(page: PageView, normalize: Normalizers) {
  const rating = (found: Json) => normalize.number(textOf(found))
  const count = (found: Json) => normalize.integer(textOf(found))
  return {
    rating: pick(rating, things(page, types, 'aggregateRating.ratingValue')),
    review_count: pick(
      count,
      things(page, types, 'aggregateRating.reviewCount'),
      things(page, types, 'aggregateRating.ratingCount'),
    ),
  }
}

function looksOf(page: PageView, normalize: Normalizers) {
  const read = asText(normalize)
  const address = (found: Json) => normalize.url(addressOf(found), page.finalUrl)
  return {
    category: pick(read, things(page, types, 'category'), breadcrumb(page)),
    description: pick(
      read,
      things(page, types, 'description'),
      meta(page, 'og:description', 'description'),
      css(page, '.product-description', '.description'),
    ),
    image: pick(
      address,
      things(page, types, 'image'),
      meta(page, 'og:image', 'twitter:image'),
      attribute(page, 'main img[src]', 'src'),
    ),
  }
}

const addressOf = (found: Json): string | null =>
  typeof found === 'object' && found !== null && !Array.isArray(found)
    ? textOf(found.url ?? found.contentUrl)
    : textOf(found)

function currencyOf(found: Json, normalize: Normalizers): string | null {
  const written = normalize.text(textOf(found))
  if (written && /^[A-Z]{3}$/.test(written)) return written
  return normalize.money(written)?.currency ?? null
}

/** `https://schema.org/OutOfStock`, "out of stock" and `OutOfStock` are `out_of_stock`. */
function availabilityOf(found: Json): string | null {
  const word = textOf(found)?.trim().split('/').at(-1)
  if (!word || word.length > 40) return null
  return word
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase()
}

/** The last shelf before the product itself. */
function breadcrumb(page: PageView): Candidate[] {
  const crumbs = page.all('.breadcrumbs li, .breadcrumb li, nav[aria-label="Breadcrumb"] li')
  return [{ from: 'css', by: 'breadcrumbs', value: crumbs.at(-2) ?? null }]
}
