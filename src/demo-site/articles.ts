// The blog's articles and the open positions, each computed from its number.
import { seeded } from './random.ts'

export interface Article {
  slug: string
  title: string
  author: string
  publishedAt: Date
  summary: string
  topic: string
}

export interface Position {
  slug: string
  title: string
  team: string
  city: string
  country: string
  salary: [low: number, high: number]
  postedAt: Date
  remote: boolean
}

const topics = ['oak', 'linen', 'brass', 'steel frames', 'cotton paper', 'cast iron', 'leather', 'walnut']
const titles = ['How we work with', 'What repairs taught us about', 'A short history of', 'Caring for']
const authors = ['Ada Lindqvist', 'Tomás Ferreira', 'Yuki Mori', 'Nora O’Brien']
const weekMs = 7 * 86_400_000
const firstWeek = Date.UTC(2025, 5, 2, 8)

export const articles: readonly Article[] = topics.flatMap((topic, row) =>
  [0, 1, 2].map(column => writeArticle(topic, row * 3 + column)),
)

function writeArticle(topic: string, number: number): Article {
  const chance = seeded(10_000 + number)
  const title = `${titles[(number + Math.floor(number / 3)) % titles.length]!} ${topic}`
  return {
    slug: title.toLowerCase().replaceAll(' ', '-'),
    title,
    author: chance.pick(authors),
    publishedAt: new Date(firstWeek + number * weekMs),
    summary: `Notes from the workshop on ${topic}: where it comes from, how it ages, and what we would do again.`,
    topic,
  }
}

const roles = [
  'Cabinet Maker',
  'Frame Builder',
  'Bookbinder',
  'Support Engineer',
  'Photographer',
  'Data Analyst',
]
const cities = [
  ['Aarhus', 'DK'],
  ['Porto', 'PT'],
  ['Hamburg', 'DE'],
  ['Tartu', 'EE'],
] as const

export const positions: readonly Position[] = roles.map((title, number) => {
  const chance = seeded(20_000 + number)
  const [city, country] = chance.pick(cities)
  const low = chance.between(32, 58) * 1_000
  return {
    slug: title.toLowerCase().replaceAll(' ', '-'),
    title,
    team: chance.pick(['Workshop', 'Shop floor', 'Office']),
    city,
    country,
    salary: [low, low + chance.between(4, 12) * 1_000],
    postedAt: new Date(firstWeek + (30 + number) * weekMs),
    remote: number > 2,
  }
})
