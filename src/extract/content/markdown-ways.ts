// How markdown represents each HTML element.
import { blockElements } from '../block-elements.ts'
import { nameSet } from '../document/index.ts'

/** Numbers instead of strings, because they are looked up for every element of a page. */
export const way = {
  inline: 0,
  block: 1,
  heading: 2,
  bold: 3,
  italic: 4,
  deleted: 5,
  term: 6,
  link: 7,
  image: 8,
  lineBreak: 9,
  rule: 10,
  code: 11,
  codeSpan: 12,
  raised: 13,
  quote: 14,
  list: 15,
  item: 16,
  table: 17,
  cell: 18,
  quotation: 19,
  reading: 20,
  checkbox: 21,
} as const

const namesByWay: ReadonlyArray<[number, string]> = [
  [way.block, [...blockElements].join(' ')],
  [way.heading, 'h1 h2 h3 h4 h5 h6'],
  [way.bold, 'strong b'],
  [way.italic, 'em i'],
  [way.deleted, 'del s strike'],
  [way.term, 'dt summary'],
  [way.link, 'a'],
  [way.image, 'img'],
  [way.lineBreak, 'br'],
  [way.rule, 'hr'],
  [way.code, 'pre listing xmp'],
  [way.codeSpan, 'code kbd samp tt'],
  [way.raised, 'sup'],
  [way.quote, 'blockquote'],
  [way.list, 'ul ol'],
  [way.item, 'li'],
  [way.table, 'table'],
  [way.cell, 'td'],
  [way.quotation, 'q'],
  [way.reading, 'rt'],
  [way.checkbox, 'input'],
]
/** The representation by tag number. Later rows of the table override earlier ones. */
export const ways = new Uint8Array(nameSet().length)
for (const [number, names] of namesByWay)
  nameSet(...names.split(' ')).forEach((isNamed, id) => {
    if (isNamed === 1) ways[id] = number
  })
