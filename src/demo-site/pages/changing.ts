// Pages with several editions. A request selects the next edition. Random noise surrounds the real changes.
import { framed, type Html, html } from '../html.ts'
import { json, page, type Reply, type Route, type Visit } from '../route.ts'
import { notFound } from './not-found.ts'

const root = '/changing'

interface Item {
  name: string
  text: string
  price: number
}

/** The items of each edition. Between two editions one item changes its price, one its text, one is removed and one is added. */
const editions: ReadonlyArray<Readonly<Record<string, Item>>> = [
  {
    anchor: { name: 'Anchor', text: 'Holds a boat where it is.', price: 40 },
    buoy: { name: 'Buoy', text: 'Floats, and says where something is.', price: 25 },
    compass: { name: 'Compass', text: 'Points north.', price: 60 },
    dinghy: { name: 'Dinghy', text: 'A small boat for a larger one.', price: 900 },
  },
  {
    anchor: { name: 'Anchor', text: 'Holds a boat where it is.', price: 45 },
    buoy: { name: 'Buoy', text: 'Floats, and says where something is.', price: 25 },
    compass: { name: 'Compass', text: 'Points north, also at night.', price: 60 },
    echo: { name: 'Echo sounder', text: 'Says how deep it is.', price: 300 },
  },
]

/** No other page links to these pages, so a crawl of the shop does not find them. Each site starts with the first edition. */
export function changingRoutes(): Route[] {
  let edition = 0
  const items = () => editions[edition % editions.length]!
  return [
    { path: `${root}/`, answer: visit => page(list(items(), visit)) },
    {
      path: `${root}/edition`,
      answer: visit => {
        if (visit.method === 'POST') edition += 1
        return json({ edition })
      },
    },
    { path: `${root}/:name`, answer: (visit, name) => shown(items()[name], visit) },
  ]
}

/** Text that differs with every request and means nothing. */
const noise = (
  visit: Visit,
): Html => html`<p class="stamp">Updated ${new Date().toISOString()}, ${visit.count} minutes ago</p>
<p class="ad">Sponsored: offer number ${visit.count}</p>`

function list(items: Readonly<Record<string, Item>>, visit: Visit): Html {
  const names = Object.keys(items)
  // Each request starts the list with another item, as noise.
  const turned = names.map((_, index) => names[(index + visit.count) % names.length]!)
  const lines = turned.map(name => html`<li><a href="${root}/${name}">${items[name]!.name}</a></li>\n`)
  return framed('Chandlery', html`<ul>${lines}</ul>${noise(visit)}`)
}

function shown(item: Item | undefined, visit: Visit): Reply {
  if (!item) return notFound(visit)
  const etag = `"${item.name}-${item.price}-${item.text.length}"`
  if (visit.headers['if-none-match'] === etag) return { status: 304, headers: { etag } }
  const main = html`<p class="text">${item.text}</p><p>It costs <span class="price">€ ${item.price}.00</span>.</p>`
  const reply = page(framed(item.name, html`${main}${noise(visit)}`))
  return { ...reply, headers: { ...reply.headers, etag } }
}
