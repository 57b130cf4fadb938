// How markdown represents each HTML element.
import { blockElements } from '../block-elements.ts'
import { nameSet } from '../document/index.ts'

/** The forms are numbers, because the writer looks up the form of every element and comparing numbers is faster than
 *  comparing strings. */
export const form = {
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

const namesByForm: ReadonlyArray<[number, string]> = [
  [form.block, [...blockElements].join(' ')],
  [form.heading, 'h1 h2 h3 h4 h5 h6'],
  [form.bold, 'strong b'],
  [form.italic, 'em i'],
  [form.deleted, 'del s strike'],
  [form.term, 'dt summary'],
  [form.link, 'a'],
  [form.image, 'img'],
  [form.lineBreak, 'br'],
  [form.rule, 'hr'],
  [form.code, 'pre listing xmp'],
  [form.codeSpan, 'code kbd samp tt'],
  [form.raised, 'sup'],
  [form.quote, 'blockquote'],
  [form.list, 'ul ol'],
  [form.item, 'li'],
  [form.table, 'table'],
  [form.cell, 'td'],
  [form.quotation, 'q'],
  [form.reading, 'rt'],
  [form.checkbox, 'input'],
]
/** The form of each element by tag number. Later rows of `namesByForm` override earlier rows. */
export const forms = new Uint8Array(nameSet().length)
for (const [number, names] of namesByForm)
  nameSet(...names.split(' ')).forEach((isNamed, id) => {
    if (isNamed === 1) forms[id] = number
  })
