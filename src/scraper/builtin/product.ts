// product: one item for sale, from structured data, then Open Graph, then typical markup.

import * as z from 'zod'
import { isObject } from '../../model/json.ts'
import type { PageKind } from '../../model/page/page-kind.ts'
import type { Json } from '../../model/record.ts'
import { defineScraper } from '../define-scraper.ts'
import type { Normalizers, ReadingHints } from '../normalizers.ts'
import type { PageView } from '../page-view.ts'
import { availabilities, availabilityOf } from './availability.ts'
import { embeddedPrice } from './embedded-state.ts'
import { productPage } from './kinds.ts'
import { attribute, type Candidate, css, meta, type Picked, pick, recordOf, textOf } from './pick.ts'
import { mainProduct, ofOffers, ofProduct, type ProductEntity } from './product-entity.ts'
import { labelledBrands, labelledNumbers, numberInUrl } from './product-labels.ts'
import { shownPrice } from './product-price.ts'

const text = z.string().nullable().default(null)
const number = z.number().nullable().default(null)

const productResult = z.object({
  name: text,
  brand: text,
  sku: text,
  gtin: text,
  price: number,
  /** The currency as ISO 4217 code. */
  currency: text,
  /** A value of schema.org's ItemAvailability: `InStock`, `OutOfStock`, `PreOrder`, … */
  availability: z.enum(availabilities).nullable().default(null),
  rating: number,
  review_count: number,
  category: text,
  description: text,
  image: text,
})

export const product = defineScraper({
  id: 'product',
  version: '1',
  name: 'Product',
  description: 'A product for sale: name, brand, price, availability, rating and product numbers.',
  input: z.object({ url: z.url() }),
  output: productResult,
  reads: productPage,
  async run({ open, emit, normalize }) {
    const page = await open()
    const main = mainProduct(page)
    const offer = offerOf(page, main, normalize)
    const isProduct = productPage.judge(page).fits === 'yes' || offer.price.value !== null
    const [record, sources] = recordOf({
      ...identityOf(page, main, isProduct, normalize),
      ...offer,
      availability: isProduct ? availabilityOf(page, main) : noProduct,
      ...opinionsOf(main, normalize),
      ...looksOf(page, main, isProduct, normalize),
    })
    emit(record, sources)
  },
  validate: ([record]) =>
    record?.name || record?.price != null
      ? null
      : 'neither a name nor a price was found; this is not a product page',
})

/** Every page has a heading and an image, so they are candidates only if another signal says that the page is a product
 *  page. */
const onlyIf = (isProduct: boolean, ...found: Candidate[][]): Candidate[] => (isProduct ? found.flat() : [])

const noProduct: Picked<never> = {
  value: null,
  source: { from: 'none', why: 'no signal says that the page is a product page' },
}

/** Page kinds on which amounts are not prices. */
const pricesNothing: ReadonlySet<PageKind> = new Set<PageKind>(['recipe', 'documentation', 'discussion'])

const asText = (normalize: Normalizers) => (found: Json) => normalize.text(textOf(found))

function identityOf(page: PageView, main: ProductEntity, isProduct: boolean, normalize: Normalizers) {
  const read = asText(normalize)
  const gtins = ['gtin', 'gtin13', 'gtin14', 'gtin12', 'gtin8', 'isbn']
  return {
    name: pick(
      read,
      ofProduct(main, 'name'),
      onlyIf(isProduct, css(page, 'main h1', 'h1'), meta(page, 'og:title')),
    ),
    brand: pick(
      read,
      ofProduct(main, 'brand'),
      meta(page, 'product:brand', 'og:brand'),
      labelledBrands(page),
      ofProduct(main, 'manufacturer'),
      css(page, '[itemprop="brand"]'),
      onlyIf(isProduct, css(page, '.brand', '.product-brand')),
    ),
    sku: pick(
      read,
      labelledNumbers(page),
      css(page, '[itemprop="sku"]', '.sku', '[data-qa-qualifier="product-reference"]'),
      ofProduct(main, 'sku'),
      ofProduct(main, 'productID'),
      ofOffers(main, 'sku'),
      meta(page, 'product:retailer_item_id', 'product:sku'),
      onlyIf(isProduct, numberInUrl(page)),
    ),
    gtin: pick(read, ...gtins.flatMap(name => [ofProduct(main, name), ofOffers(main, name)])),
  }
}

function offerOf(page: PageView, main: ProductEntity, normalize: Normalizers) {
  const hints = { language: page.language, url: page.finalUrl }
  const stated = [
    ...ofOffers(main, 'price'),
    ...ofOffers(main, 'lowPrice'),
    ...ofOffers(main, 'priceSpecification.price'),
    ...meta(page, 'product:price:amount', 'og:price:amount', 'product:sale_price:amount'),
  ]
  const currency = pick(
    found => currencyOf(found, normalize),
    ofOffers(main, 'priceCurrency'),
    ofOffers(main, 'priceSpecification.priceCurrency'),
    meta(page, 'product:price:currency', 'og:price:currency'),
  )
  const declared = pick(
    found => amountOf(normalize.money(textOf(found), { ...hints, machine: true })),
    stated,
  )
  if (declared.value !== null && currency.value !== null) return { price: declared, currency }
  const shown = pricesNothing.has(page.kind().kind)
    ? { price: declared, currency }
    : seenPrice(page, normalize, { ...hints, currency: currency.value })
  return {
    price: declared.value === null ? shown.price : declared,
    currency: currency.value === null ? shown.currency : currency,
  }
}

/** The visible price. If there is none, the price in the embedded script state. */
function seenPrice(page: PageView, normalize: Normalizers, hints: ReadingHints) {
  const shown = shownPrice(page, normalize, hints)
  return shown.price.value === null ? embeddedPrice(page, normalize, hints) : shown
}

function opinionsOf(main: ProductEntity, normalize: Normalizers) {
  const rating = (found: Json) => normalize.number(textOf(found))
  const count = (found: Json) => normalize.integer(textOf(found))
  return {
    rating: pick(rating, ofProduct(main, 'aggregateRating.ratingValue')),
    review_count: pick(
      count,
      ofProduct(main, 'aggregateRating.reviewCount'),
      ofProduct(main, 'aggregateRating.ratingCount'),
    ),
  }
}

function looksOf(page: PageView, main: ProductEntity, isProduct: boolean, normalize: Normalizers) {
  const read = asText(normalize)
  const address = (found: Json) => normalize.url(addressOf(found), page.finalUrl)
  return {
    category: pick(read, ofProduct(main, 'category'), onlyIf(isProduct, breadcrumb(page))),
    description: pick(
      read,
      ofProduct(main, 'description'),
      onlyIf(
        isProduct,
        meta(page, 'og:description', 'description'),
        css(page, '.product-description', '.description'),
      ),
    ),
    image: pick(
      address,
      ofProduct(main, 'image'),
      onlyIf(isProduct, meta(page, 'og:image', 'twitter:image'), attribute(page, 'main img[src]', 'src')),
    ),
  }
}

const addressOf = (found: Json): string | null =>
  isObject(found) ? textOf(found.url ?? found.contentUrl) : textOf(found)

/** A price of 0 is a placeholder that a script fills in, so it counts as missing. */
const amountOf = (money: { amount: number } | null): number | null =>
  money !== null && money.amount > 0 ? money.amount : null

function currencyOf(found: Json, normalize: Normalizers): string | null {
  const written = normalize.text(textOf(found))
  if (written && /^[A-Za-z]{3}$/.test(written)) return written.toUpperCase()
  return normalize.money(written)?.currency ?? null
}

/** The last breadcrumb before the product itself. */
function breadcrumb(page: PageView): Candidate[] {
  const crumbs = page.all('.breadcrumbs li, .breadcrumb li, nav[aria-label="Breadcrumb"] li')
  return [{ from: 'css', by: 'breadcrumbs', value: crumbs.at(-2) ?? null }]
}
