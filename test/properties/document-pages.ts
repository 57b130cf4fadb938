// Generates pages like those of the web, the same for the same seed: shops, articles, tables, forms, and broken pages.

import { type Chance, seeded } from '../../src/demo-site/random.ts'

const words =
  'amber bridge candle drift ember forest garden harbour island jasmine kettle lantern meadow north orchard pebble quiet river stone timber umbrella valley willow yellow über naïve 日本 Ψυχή'.split(
    ' ',
  )

function sentence(chance: Chance, length: number): string {
  return Array.from({ length }, () => chance.pick(words)).join(' ')
}

/** Realistic text with character references, special characters and line ends. */
function prose(chance: Chance): string {
  const extras = [
    '&amp;',
    '&nbsp;',
    '&copy; 2024',
    'a < b',
    '5 > 3',
    '&euro;9',
    '&#8212;',
    'AT&T',
    '&lt;b&gt;',
    '\n',
  ]
  return `${sentence(chance, chance.between(3, 12))} ${chance.pick(extras)} ${sentence(chance, chance.between(2, 8))}`
}

function attributes(chance: Chance): string {
  const made = [
    () => ` class="${sentence(chance, chance.between(1, 3))}"`,
    () => ` id="${chance.pick(words)}-${chance.between(1, 99)}"`,
    () => ` data-${chance.pick(['kind', 'id', 'x'])}='${chance.between(1, 99)}'`,
    () => ` title="${chance.pick(['a &amp; b', 'x&y=1', '"quoted"'.replaceAll('"', '&quot;'), ''])}"`,
    () => ` hidden`,
    () => ` lang=en`,
    () => ` style="color: red; background: url('/a.png')"`,
  ]
  return chance
    .some(made, chance.between(0, 3))
    .map(make => make())
    .join('')
}

function link(chance: Chance, content: string): string {
  const href = chance.pick([
    `/item/${chance.between(1, 999)}`,
    `?page=${chance.between(1, 9)}&amp;sort=up`,
    `?a=1&b=2&copy=3`,
    `https://example.org/${chance.pick(words)}#top`,
    'mailto:a@example.org',
    '',
  ])
  return `<a href="${href}"${attributes(chance)}>${content}</a>`
}

function inline(chance: Chance): string {
  const name = chance.pick([
    'b',
    'i',
    'em',
    'strong',
    'code',
    'span',
    'small',
    'mark',
    'abbr',
    'sup',
    'x-badge',
  ])
  return chance.pick([
    () => prose(chance),
    () => `<${name}${attributes(chance)}>${prose(chance)}</${name}>`,
    () => `<${name}>${prose(chance)} <u>${prose(chance)}</u></${name}>`,
    () => link(chance, `<span>${prose(chance)}</span>`),
    () => `<img src="/i/${chance.between(1, 99)}.jpg" alt="${chance.pick(words)}"/>`,
    () => 'line<br>break<wbr/>',
    () => '<!-- a note -->',
    () =>
      '<svg viewBox="0 0 24 24" class="icon"><title>Icon</title><path d="M0 0h24"/><g><circle r="3"></circle></g></svg>',
  ])()
}

function several(chance: Chance, low: number, high: number, make: (chance: Chance) => string): string {
  return Array.from({ length: chance.between(low, high) }, () => make(chance)).join(
    chance.pick(['', '\n', '\n  ', '\r\n']),
  )
}

function paragraph(chance: Chance): string {
  const end = chance.pick(['</p>', '</p>', ''])
  return `<p${attributes(chance)}>${several(chance, 1, 4, inline)}${end}`
}

function list(chance: Chance): string {
  const end = chance.pick(['</li>', ''])
  const item = () => `<li${attributes(chance)}>${inline(chance)}${end}`
  const nested = () => `<li>${prose(chance)}<ul>${several(chance, 1, 3, item)}</ul>${end}`
  const name = chance.pick(['ul', 'ol'])
  return `<${name}>${several(chance, 1, 6, inner => (inner.fraction() < 0.2 ? nested() : item()))}</${name}>`
}

function definitions(chance: Chance): string {
  return `<dl>${several(chance, 1, 4, inner => `<dt>${prose(inner)}<dd>${prose(inner)}`)}</dl>`
}

function table(chance: Chance): string {
  const closes = chance.fraction() < 0.6
  const cell = (name: string) =>
    `<${name}${attributes(chance)}>${inline(chance)}${closes ? `</${name}>` : ''}`
  const row = () => `<tr>${cell('th')}${several(chance, 1, 3, () => cell('td'))}${closes ? '</tr>' : ''}`
  const head = chance.pick([
    '',
    '<caption>Sizes</caption>',
    `<thead>${row()}</thead>`,
    '<colgroup><col><col></colgroup>',
  ])
  const body = several(chance, 1, 5, row)
  return `<table${attributes(chance)}>${head}${chance.pick([body, `<tbody>${body}</tbody>`])}</table>`
}

function form(chance: Chance): string {
  const field = () =>
    chance.pick([
      `<label>Name <input type="text" name="q" value="a &amp; b"></label>`,
      `<select name=s><option value=1>One<option value=2 selected>Two</select>`,
      `<textarea rows=2>\n${prose(chance)}</textarea>`,
      `<input type=checkbox checked><button type="submit" disabled>${prose(chance)}</button>`,
    ])
  return `<form action="/search" method="get">${several(chance, 1, 4, field)}</form>`
}

function block(chance: Chance, depth = 0): string {
  const name = chance.pick(['div', 'section', 'article', 'aside', 'main', 'figure', 'blockquote', 'details'])
  const makers = [
    () => paragraph(chance),
    () => list(chance),
    () => table(chance),
    () => definitions(chance),
    () => form(chance),
    () => `<h${depth + 1}>${inline(chance)}</h${depth + 1}>`,
    () => `<pre>\n  code &lt;here&gt;\n</pre><hr>`,
    () => `<noscript><img src="/pixel"></noscript>`,
    () => `<script>if (a < b && c) { document.write("<p>not here</p>") }</script>`,
  ]
  if (depth > 3 || chance.fraction() < 0.5) return chance.pick(makers)()
  return `<${name}${attributes(chance)}>${several(chance, 1, 4, inner => block(inner, depth + 1))}</${name}>`
}

function head(chance: Chance): string {
  const parts = [
    '<meta charset="utf-8">',
    `<title>${prose(chance)}</title>`,
    `<meta name="description" content="${chance.pick(['plain', 'a &amp; b', "it's"])}">`,
    '<link rel="canonical" href="/here">',
    '<style>a > b { color: red }</style>',
    '<script type="application/ld+json">{"@type":"Product","name":"<b>"}</script>',
    '<!-- head -->',
  ]
  return chance.some(parts, chance.between(2, parts.length)).join(chance.pick(['', '\n']))
}

/** A page with valid markup. */
export function soundPage(seed: number): string {
  const chance = seeded(seed)
  const doctype = chance.pick(['<!DOCTYPE html>', '<!doctype html>\n', '<!DOCTYPE html>\r\n'])
  const body = several(chance, 2, 9, inner => block(inner))
  if (chance.fraction() < 0.15) return `${doctype}<title>${prose(chance)}</title>${body}`
  const open = chance.pick(['<html lang="en">', '<html>', '<html lang=de class=no-js>'])
  return `${doctype}${open}\n<head>${head(chance)}</head>\n<body${attributes(chance)}>\n${body}\n</body>\n</html>\n`
}

/** A valid page with random damage: tags are lost, doubled, swapped or cut, and unusual markup is added. */
export function brokenPage(seed: number): string {
  const chance = seeded(seed)
  const pieces = soundPage(seed).split(/(?=<)/)
  for (let accident = chance.between(1, 6); accident > 0; accident--) {
    const at = chance.between(0, pieces.length - 1)
    chance.pick(accidents)(pieces, at, chance)
  }
  return pieces.join('')
}

type Accident = (pieces: string[], at: number, chance: Chance) => void

const accidents: Accident[] = [
  (pieces, at) => pieces.splice(at, 1),
  (pieces, at) => pieces.splice(at, 0, pieces[at]!),
  (pieces, at, chance) => pieces.splice(at, 0, pieces[chance.between(0, pieces.length - 1)]!),
  (pieces, at, chance) => pieces.splice(at, 0, chance.pick(oddities)),
  (pieces, at, chance) => {
    pieces[at] = pieces[at]!.slice(0, chance.between(0, pieces[at]!.length))
  },
]

const oddities = [
  '</p>',
  '</div>',
  '</br>',
  '</b>',
  '<b>',
  '<a href=/x>',
  '<p>',
  '<div>',
  '<li>',
  '<td>',
  '<tr>',
  '</table>',
  '<table>',
  '<form>',
  '</form>',
  '<select>',
  '<option>',
  '<body class=late>',
  '<html lang=fr>',
  '</body>',
  '</html>',
  '<template><p>x</template>',
  '<svg><p>out</svg>',
  '<math><mi>x</mi></math>',
  '<!-->',
  '<!doctype html>',
  '<?xml version="1.0"?>',
  '<![CDATA[x]]>',
  '</ nothing>',
  '</>',
  '&unknown;',
  '&#0;',
  '&#x110000;',
  '\0',
  '<input type=hidden>',
  '<title>late</title>',
  '<noscript>',
  '<object>',
  '<button>',
  '<h3>',
  '<textarea>',
  '<script>',
  '<plaintext>',
]
