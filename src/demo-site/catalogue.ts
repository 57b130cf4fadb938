// The products of the shop. Each is computed from its number, so a shop of any size costs no memory.
import type { Currency } from './money.ts'
import { type Chance, seeded } from './random.ts'

export interface Category {
  slug: string
  name: string
  nouns: readonly string[]
  materials: readonly string[]
}

export interface Product {
  number: number
  slug: string
  sku: string
  name: string
  category: Category
  brand: string
  cents: number
  /** The earlier price of a product on sale; null otherwise. */
  wasCents: number | null
  currency: Currency
  rating: number
  reviews: number
  tags: string[]
  inStock: boolean
  description: string
  specs: [name: string, value: string][]
  updatedAt: Date
}

export const categories: readonly Category[] = [
  {
    slug: 'lamps',
    name: 'Lamps',
    nouns: ['Desk Lamp', 'Floor Lamp', 'Lantern'],
    materials: ['brass', 'linen', 'steel'],
  },
  {
    slug: 'chairs',
    name: 'Chairs',
    nouns: ['Armchair', 'Stool', 'Rocking Chair'],
    materials: ['ash', 'oak', 'wool'],
  },
  {
    slug: 'tables',
    name: 'Tables',
    nouns: ['Side Table', 'Writing Desk', 'Bench'],
    materials: ['oak', 'walnut', 'slate'],
  },
  {
    slug: 'kitchen',
    name: 'Kitchen',
    nouns: ['Kettle', 'Coffee Mill', 'Skillet'],
    materials: ['cast iron', 'copper', 'steel'],
  },
  {
    slug: 'bicycles',
    name: 'Bicycles',
    nouns: ['City Bike', 'Cargo Bike', 'Gravel Bike'],
    materials: ['steel', 'aluminium', 'titanium'],
  },
  {
    slug: 'audio',
    name: 'Audio',
    nouns: ['Headphones', 'Radio', 'Record Player'],
    materials: ['walnut', 'aluminium', 'leather'],
  },
  {
    slug: 'cameras',
    name: 'Cameras',
    nouns: ['Field Camera', 'Tripod', 'Light Meter'],
    materials: ['brass', 'leather', 'magnesium'],
  },
  {
    slug: 'paper',
    name: 'Paper',
    nouns: ['Notebook', 'Sketchbook', 'Planner'],
    materials: ['cotton paper', 'linen', 'kraft board'],
  },
]

const lines = [
  'Birch',
  'Harbour',
  'Juniper',
  'Lumen',
  'Meadow',
  'Northern',
  'Orchard',
  'Pebble',
  'Quarry',
  'Ridge',
  'Saffron',
  'Tidal',
  'Umber',
  'Willow',
]
const brands = [
  'Fjordworks',
  'Ostermann & Sons',
  'Little Foundry',
  'Atelier Blanc',
  'Kestrel',
  'Maison Verte',
]
const tags = [
  'handmade',
  'repairable',
  'new',
  'gift',
  'outdoor',
  'recycled',
  'compact',
  'limited',
  'bestseller',
]
const countries = ['Denmark', 'Portugal', 'Japan', 'Germany', 'Scotland', 'Estonia']
const endings = [0, 50, 95, 99]
const dayMs = 86_400_000
const opened = Date.UTC(2026, 0, 5)

export interface Catalogue {
  size: number
  /** Products are numbered from 1. */
  product(number: number): Product
  bySlug(slug: string): Product | undefined
  inCategory(category: Category): { count: number; page(from: number, count: number): Product[] }
  related(product: Product): Product[]
}

export function catalogueOf(size: number): Catalogue {
  const numbersIn = (category: Category) =>
    Math.max(0, Math.ceil((size - categories.indexOf(category)) / categories.length))
  const nth = (category: Category, index: number) =>
    makeProduct(index * categories.length + categories.indexOf(category) + 1)

  return {
    size,
    product: makeProduct,
    bySlug(slug) {
      const number = Number(/-(\d+)$/.exec(slug)?.[1] ?? 0)
      if (number < 1 || number > size) return undefined
      const product = makeProduct(number)
      return product.slug === slug ? product : undefined
    },
    inCategory(category) {
      const count = numbersIn(category)
      const page = (from: number, length: number) =>
        Array.from({ length: Math.max(0, Math.min(length, count - from)) }, (_, step) =>
          nth(category, from + step),
        )
      return { count, page }
    },
    related(product) {
      const count = numbersIn(product.category)
      const own = Math.floor((product.number - 1) / categories.length)
      const others = new Set([1, 2, 5, 9].map(step => (own + step) % count))
      others.delete(own)
      return [...others].map(index => nth(product.category, index))
    },
  }
}

function makeProduct(number: number): Product {
  const chance = seeded(number)
  const category = categories[(number - 1) % categories.length]!
  const material = chance.pick(category.materials)
  const name = `${chance.pick(lines)} ${chance.pick(category.nouns)} ${number}`
  const cents = chance.between(9, chance.pick([90, 600, 3_000])) * 100 + chance.pick(endings)
  return {
    number,
    slug: name.toLowerCase().replaceAll(' ', '-'),
    sku: `KS-${String(number).padStart(5, '0')}`,
    name,
    category,
    brand: chance.pick(brands),
    cents,
    wasCents: chance.fraction() < 0.2 ? Math.round(cents * 1.25) : null,
    currency: chance.pick(['EUR', 'USD', 'GBP'] as const),
    rating: chance.between(30, 50) / 10,
    reviews: chance.between(1, 480),
    tags: chance.some(tags, chance.between(2, 4)),
    inStock: chance.fraction() < 0.85,
    description: describe(chance, category, material),
    specs: specsOf(chance, material),
    updatedAt: new Date(opened + chance.between(0, 120) * dayMs),
  }
}

function describe(chance: Chance, category: Category, material: string): string {
  const start = chance.pick([
    'Made for every day',
    'Built to be repaired',
    'Drawn by hand, made by few',
    'Quiet, sturdy and plain',
  ])
  const middle = chance.pick([
    'Each part can be ordered on its own',
    'It comes assembled',
    'The finish grows better with use',
  ])
  const end = chance.pick([
    'ten years of guarantee',
    'thirty days to change your mind',
    'free repairs in our workshop',
  ])
  return `${start}: one of our ${category.name.toLowerCase()} in ${material}. ${middle}, with ${end}.`
}

function specsOf(chance: Chance, material: string): [string, string][] {
  return [
    ['Material', material],
    ['Weight', `${chance.between(2, 180) / 10} kg`],
    ['Size', `${chance.between(10, 180)} × ${chance.between(10, 90)} × ${chance.between(5, 80)} cm`],
    ['Made in', chance.pick(countries)],
    ['Guarantee', `${chance.between(2, 10)} years`],
  ]
}
