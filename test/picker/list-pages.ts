// Twenty list pages, each with different markup, and the values that a user wants from every row.

export interface ListPage {
  name: string
  html: string
  /** One entry per row, with the visible text and the URLs of images and links. A value is null if the row lacks it. */
  rows: Array<Record<string, string | null>>
  /** Fields whose value is the address of an image. */
  images?: string[]
  /** True if all class names of the page are hashes. */
  isHashed?: boolean
}

const goods = [
  ['Ash oar', '€ 89.50', 'Mesa', '12'],
  ['Linen sail', '€ 240.00', 'Bergen', '3'],
  ['Hemp rope', '€ 9.90', 'Porto', '140'],
  ['Brass cleat', '€ 17.25', 'Lagos', '58'],
  ['Cork float', '€ 4.10', 'Cadiz', '310'],
  ['Oak keel', '€ 1,150.00', 'Turku', '1'],
  ['Deck lamp', '€ 64.00', 'Gdynia', '27'],
  ['Anchor', '€ 199.00', 'Split', '8'],
  ['Compass', '€ 45.80', 'Vigo', '33'],
  ['Sextant', '€ 310.00', 'Riga', '5'],
  ['Life vest', '€ 39.00', 'Nantes', '76'],
  ['Tar bucket', '€ 12.75', 'Aarhus', '19'],
].map(([name, price, place, stock], index) => ({
  ...{ name: name!, price: price!, place: place!, stock: stock!, index },
  ...{ link: `/goods/${name!.toLowerCase().replace(' ', '-')}`, image: `/img/${index + 1}.jpg` },
  ...{
    was: index % 3 === 0 ? `€ ${1_000 + index}.00` : null,
    note: index % 4 === 1 ? `Only until May ${index + 3}` : null,
  },
}))
type Good = (typeof goods)[number]

const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>The boat house</title></head><body>
<header><nav><ul><li><a href="/">Home</a></li><li><a href="/about">About</a></li><li><a href="/contact">Contact</a></li></ul></nav></header>
${body}
<footer><ul><li><a href="/terms">Terms</a></li><li><a href="/privacy">Privacy</a></li></ul><p>© The boat house</p></footer></body></html>`

const each = (render: (good: Good) => string, of: readonly Good[] = goods): string =>
  of.map(render).join('\n')
const wanted = (...fields: Array<keyof Good>): ListPage['rows'] =>
  goods.map(good => Object.fromEntries(fields.map(field => [field, good[field] as string | null])))
const when = (value: string | null, html: (value: string) => string): string =>
  value === null ? '' : html(value)

/** Makes different letters for every name and every page, like the class names of build tools. */
const hash = (text: string): string => {
  let number = 7
  for (const character of text) number = (number * 31 + character.charCodeAt(0)) >>> 0
  const letters = 'bcdfghjkmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ'
  let made = ''
  for (let left = number; made.length < 6; left = Math.floor(left / 7) + 11)
    made += letters[left % letters.length]
  return `${made.slice(0, 3)}${number % 10}${made.slice(3)}`
}

export const listPages: ListPage[] = [
  {
    name: 'cards with classes',
    html: page(
      `<main><div class="grid">${each(
        ({ name, price, link, image, was }) =>
          `<article class="product-card"><img class="product-card__image" src="${image}" alt=""><h3 class="product-card__title"><a href="${link}">${name}</a></h3><div class="product-card__prices">${when(was, text => `<del class="product-card__was">${text}</del>`)}<span class="product-card__price">${price}</span></div><button>Add to cart</button></article>`,
      )}</div></main>`,
    ),
    rows: wanted('name', 'price', 'image', 'link', 'was'),
    images: ['image'],
  },
  {
    name: 'a plain table',
    html: page(
      `<table><tr><th>Name</th><th>Price</th><th>From</th><th>Stock</th></tr>${each(
        ({ name, price, place, stock, link }) =>
          `<tr><td><a href="${link}">${name}</a></td><td>${price}</td><td>${place}</td><td>${stock}</td></tr>`,
      )}</table>`,
    ),
    rows: wanted('name', 'link', 'price', 'place', 'stock'),
  },
  {
    name: 'a table with head, body and a sum',
    html: page(
      `<table class="stock"><thead><tr><th>#</th><th>Item</th><th>Price</th><th>Port</th></tr></thead><tbody>${each(
        ({ name, price, place, index }) =>
          `<tr class="${index % 2 ? 'odd' : 'even'}"><th scope="row">${index + 101}</th><td>${name}</td><td class="num">${price}</td><td>${place}</td></tr>`,
      )}</tbody><tfoot><tr><td colspan="2">Sum</td><td class="num">€ 2,181.30</td><td></td></tr></tfoot></table>`,
    ),
    rows: wanted('name', 'price', 'place'),
  },
  {
    name: 'a definition list',
    html: page(`<dl>${each(({ name, price }) => `<dt>${name}</dt><dd>${price}</dd>`)}</dl>`),
    rows: wanted('name', 'price'),
  },
  {
    name: 'a definition list with two descriptions each',
    html: page(
      `<dl class="goods">${each(({ name, price, place, link }) => `<dt><a href="${link}">${name}</a></dt><dd class="cost">${price}</dd><dd class="port">${place}</dd>`)}</dl>`,
    ),
    rows: wanted('name', 'link', 'price', 'place'),
  },
  {
    name: 'cards that hold definition lists',
    html: page(
      `<section>${each(
        ({ name, price, place, stock, was, index }) =>
          `<div class="offer"><h2>${name}</h2><dl>${index % 2 ? `<dt>Price</dt><dd>${price}</dd><dt>Port</dt><dd>${place}</dd>` : `<dt>Port</dt><dd>${place}</dd><dt>Price</dt><dd>${price}</dd>`}${when(was, text => `<dt>Before</dt><dd>${text}</dd>`)}<dt>In stock</dt><dd>${stock}</dd></dl></div>`,
      )}</section>`,
    ),
    rows: wanted('name', 'price', 'place', 'stock', 'was'),
  },
  {
    name: 'div soup with hashed classes',
    isHashed: true,
    html: page(
      `<div class="${hash('root')}"><div class="${hash('wrap')}">${each(
        ({ name, price, place, link, image }) =>
          `<div class="${hash('card')} ${hash('c2')}"><div class="${hash('pic')}"><img src="${image}" alt=""></div><div class="${hash('box')}"><a class="${hash('name')}" href="${link}">${name}</a><div class="${hash('line')}"><span class="${hash('price')}">${price}</span><span class="${hash('place')}">${place}</span></div></div></div>`,
      )}</div></div>`,
    ),
    rows: wanted('name', 'price', 'place', 'link', 'image'),
    images: ['image'],
  },
  {
    name: 'hashed classes with parts that some rows lack',
    isHashed: true,
    html: page(
      `<div class="${hash('a')}">${each(
        ({ name, price, place, was, note }) =>
          `<div class="${hash('b')}">${when(note, text => `<div class="${hash('note')}">${text}</div>`)}<div class="${hash('n')}">${name}</div><div class="${hash('p')}">${when(was, text => `<s>${text}</s>`)}<b>${price}</b></div><div class="${hash('pl')}">${place}</div></div>`,
      )}</div>`,
    ),
    rows: wanted('name', 'price', 'place', 'was', 'note'),
  },
  {
    name: 'CSS modules',
    html: page(
      `<div class="List_grid__x8Kq2">${each(
        ({ name, price, link, was }) =>
          `<a class="Card_root__Zk19d" href="${link}"><div class="Card_title__aB3xY">${name}</div>${when(was, text => `<div class="Card_old__q7RtZ">${text}</div>`)}<div class="Card_price__9fGh2">${price}</div></a>`,
      )}</div>`,
    ),
    rows: wanted('name', 'price', 'was', 'link'),
  },
  {
    name: 'utility classes',
    html: page(
      `<div class="grid grid-cols-3 gap-4 mt-8">${each(
        ({ name, price, place, link, image }) =>
          `<div class="flex flex-col rounded-lg p-4 shadow-md hover:shadow-lg"><img class="w-full h-40 object-cover" src="data:image/gif;base64,R0lGOD" data-src="${image}" alt=""><a class="mt-2 text-lg font-bold" href="${link}">${name}</a><p class="text-sm text-gray-500">${place}</p><p class="text-sm font-semibold">${price}</p></div>`,
      )}</div>`,
    ),
    rows: wanted('name', 'price', 'place', 'link', 'image'),
    images: ['image'],
  },
  {
    name: 'microdata',
    html: page(
      `<ol>${each(
        ({ name, price, link, image, index }) =>
          `<li itemscope itemtype="https://schema.org/Product"><div><img itemprop="image" src="${image}" alt=""></div><a itemprop="url" href="${link}"><span itemprop="name">${name}</span></a><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="${index}">${price}</span></div></li>`,
      )}</ol>`,
    ),
    rows: wanted('name', 'price', 'image', 'link'),
    images: ['image'],
  },
  {
    name: 'test ids and random ids',
    html: page(
      `<main>${each(
        ({ name, price, place, link, index }) =>
          `<section id="r${index * 7_919 + 10_000}" data-testid="listing" class="_1x${index}"><h4 data-testid="listing-name"><a href="${link}">${name}</a></h4><div><span data-testid="listing-price">${price}</span> · <span data-testid="listing-port">${place}</span></div></section>`,
      )}</main>`,
    ),
    rows: wanted('name', 'link', 'price', 'place'),
  },
  {
    name: 'headings and paragraphs without a row element',
    html: page(
      `<div id="list">${each(({ name, price, place }) => `<h3>${name}</h3><p class="price">${price}</p><p class="place">${place}</p>`)}</div>`,
    ),
    rows: wanted('name', 'price', 'place'),
  },
  {
    name: 'table rows in pairs',
    html: page(
      `<table border="0">${each(
        ({ name, price, place, link }) =>
          `<tr class="thing"><td class="rank">·</td><td class="title"><a href="${link}">${name}</a></td></tr><tr><td></td><td class="sub"><span class="score">${price}</span> by <a class="user" href="/u/${place}">${place}</a></td></tr><tr class="spacer" style="height:5px"></tr>`,
      )}</table>`,
    ),
    rows: wanted('name', 'link', 'price', 'place'),
  },
  {
    name: 'cards in sections',
    html: page(
      [0, 4, 8]
        .map(
          start =>
            `<section class="category"><h2>Group ${start}</h2><div class="cards">${each(
              ({ name, price, link }) =>
                `<div class="card"><h3><a href="${link}">${name}</a></h3><p class="price">${price}</p></div>`,
              goods.slice(start, start + 4),
            )}</div></section>`,
        )
        .join('\n'),
    ),
    rows: wanted('name', 'link', 'price'),
  },
  {
    name: 'lines of a grid with three cards each',
    html: page(
      `<div class="container">${[0, 3, 6, 9]
        .map(
          start =>
            `<div class="row">${each(
              ({ name, price, image }) =>
                `<div class="col-md-4"><div class="thumb"><img src="${image}" alt=""><div class="caption"><h4 class="pull-right">${price}</h4><h4>${name}</h4></div></div></div>`,
              goods.slice(start, start + 3),
            )}</div>`,
        )
        .join('')}</div>`,
    ),
    rows: wanted('name', 'price', 'image'),
    images: ['image'],
  },
  {
    name: 'cards that hold lists of tags and stars',
    html: page(
      `<ul class="results">${each(
        ({ name, price, place, index }) =>
          `<li class="result"><div class="rating">${'<i class="star"></i>'.repeat(5)}</div><h3>${name}</h3><ul class="tags">${[
            1, 2, 3,
          ]
            .slice(0, (index % 3) + 1)
            .map(tag => `<li class="tag">tag ${index}-${tag}</li>`)
            .join('')}</ul><span class="amount">${price}</span><em>${place}</em></li>`,
      )}</ul>`,
    ),
    rows: wanted('name', 'price', 'place'),
  },
  {
    name: 'labels before values',
    html: page(
      `<div class="list">${each(
        ({ name, price, place, stock, index }) =>
          `<div class="entry"><strong>${name}</strong>${[
            `<div class="line"><span class="label">Price:</span> <span class="value">${price}</span></div>`,
            `<div class="line"><span class="label">Port:</span> <span class="value">${place}</span></div>`,
            ...(index % 3 === 2
              ? []
              : [
                  `<div class="line"><span class="label">Stock:</span> <span class="value">${stock}</span></div>`,
                ]),
          ].join('')}</div>`,
      )}</div>`,
    ),
    rows: goods.map(({ name, price, place, stock, index }) => ({
      ...{ name, price, place, stock: index % 3 === 2 ? null : stock },
    })),
  },
  {
    name: 'a grid of roles',
    html: page(
      `<div role="table"><div role="row"><div role="columnheader">Name</div><div role="columnheader">Price</div><div role="columnheader">Port</div></div>${each(
        ({ name, price, place }) =>
          `<div role="row"><div role="cell"><span>${name}</span></div><div role="cell"><span>${price}</span></div><div role="cell"><span>${place}</span></div></div>`,
      )}</div>`,
    ),
    rows: wanted('name', 'price', 'place'),
  },
  {
    name: 'links with advertisements between them',
    html: page(
      `<div class="feed">${each(
        ({ name, price, place, link, index }) =>
          `<a class="teaser" href="${link}"><span class="teaser-name">${name}</span><span class="teaser-meta"><span>${place}</span><span>${price}</span></span></a>${index % 4 === 3 ? '<div class="ad"><p>Advertisement</p><img src="/ad.gif" alt=""></div>' : ''}`,
      )}</div><aside><a class="teaser" href="/x"><b>Read more</b></a></aside>`,
    ),
    rows: wanted('name', 'price', 'place', 'link'),
  },
]
