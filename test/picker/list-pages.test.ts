// Tests the picker on list pages with many kinds of markup: two clicks per field must be enough.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDocument } from '../../src/extract/document/index.ts'
import { pick } from '../../src/extract/pick/pick.ts'
import { isRandom } from '../../src/extract/pick/stable-names.ts'
import { type ListPage, listPages } from './list-pages.ts'
import { cellsRight, nodeWith, pageUrl, picked } from './simulate.ts'

const enough = 0.95

for (const page of listPages)
  test(`on ${page.name}, two clicks per field fill all rows`, async () => {
    const picking = await picked(page)
    assert.equal(picking.list.rows.length, page.rows.length, `${picking.list.each} finds other rows`)
    const { right, cells, wrong } = cellsRight(page, picking)
    assert.ok(right / cells >= enough, `${right} of ${cells} cells: ${wrong.slice(0, 5).join('\n')}`)
    assert.equal(new Set(picking.list.fields.map(({ name }) => name)).size, picking.list.fields.length)
  })

test('the first click finds the right number of rows', async () => {
  const counts: Array<[string, number | undefined]> = []
  for (const page of listPages) counts.push([page.name, (await picked(page, 1)).first.lists[0]?.rows.length])
  assert.deepEqual(
    counts.filter(([, count]) => count !== 12),
    [],
  )
})

test('selectors contain no class names with a hash', async () => {
  for (const page of listPages.filter(({ isHashed }) => isHashed)) {
    const { list } = await picked(page)
    const classes = [list.each, ...list.fields.map(({ css }) => css ?? '')]
      .join(' ')
      .matchAll(/\.([A-Za-z][\w-]*)/g)
    assert.deepEqual([...classes].map(([, name]) => name!).filter(isRandom), [], page.name)
  }
})

const cards = (rows: number, extra = ''): string =>
  `<html><body><h1>Goods</h1><div class="list">${Array.from({ length: rows }, (_, index) => `<div class="card"><h2><a href="/p/${index}">Thing ${index}</a></h2><span class="price">$${index}.50</span>${extra}</div>`).join('')}</div><a href="/goods?page=2" class="next">Next</a></body></html>`

const clickOn = (html: string, text: string) => {
  const document = parseDocument(html)
  return pick(document, pageUrl, { node: nodeWith(document, text) })
}

test('a list with a single row is still offered as a list', () => {
  const { lists } = clickOn(cards(1), 'Thing 0')
  assert.deepEqual(
    lists.map(({ each, rows }) => [each, rows.length]),
    [['.card', 1]],
  )
})

test('for a page without rows, fields of the page itself are offered', () => {
  const { lists, page, changed } = clickOn(cards(0), 'Goods')
  assert.deepEqual(lists, [])
  assert.deepEqual([changed, page[0]!.css, page[0]!.filled], ['title', 'h1', 1])
})

test('a click suggests the other parts of the rows, the next page and the detail pages', () => {
  const { lists, nextPage } = clickOn(cards(12, '<button>Add to cart</button>'), 'Thing 3')
  const [list] = lists
  assert.deepEqual(
    list!.fields.map(({ name, css, attr, filled }) => [name, css, attr, filled]),
    [
      ['name', 'h2', undefined, 12],
      ['link', 'a', 'href', 12],
    ].map(([name, css, attr, filled]) => [name, css === 'h2' ? 'a' : css, attr, filled]),
  )
  assert.deepEqual(
    list!.others.map(({ name, css, as }) => [name, css, as]),
    [['price', '.price', 'money']],
    'a button that every row repeats is not a field',
  )
  assert.deepEqual(nextPage, {
    css: 'a.next',
    url: 'https://boats.example/goods?page=2',
    include: '/goods?**page=*',
  })
  assert.deepEqual(list!.detail, { field: 'link', url: 'https://boats.example/p/0', include: '/p/*' })
})

test('a second example adapts a field to rows with different markup', () => {
  const row = (index: number) =>
    `<li><b>Thing ${index}</b>${index % 2 ? `<ins class="sale">$${index}.00</ins>` : `<span class="regular">$${index}.00</span>`}</li>`
  const html = `<body><ul>${[1, 2, 3, 4, 5, 6].map(row).join('')}</ul></body>`
  const document = parseDocument(html)
  const first = pick(document, pageUrl, { node: nodeWith(document, '$1.00') }).lists[0]!
  assert.ok(first.fields[0]!.filled < 6)
  const second = pick(document, pageUrl, {
    ...{ node: nodeWith(document, '$2.00'), each: first.each, fields: first.fields },
  }).lists[0]!
  assert.deepEqual(
    second.fields.map(({ filled, examples }) => [filled, examples.length]),
    [[6, 2]],
  )
})

test('a click outside the rows found so far finds new rows that contain both clicks', () => {
  const page = listPages.find(({ name }) => name === 'lines of a grid with three cards each') as ListPage
  const document = parseDocument(page.html)
  const name = pick(document, pageUrl, { node: nodeWith(document, 'Ash oar') })
  const caption = name.lists.find(({ each }) => each.includes('caption'))!
  const fields = caption.fields
  const answer = pick(document, pageUrl, {
    node: nodeWith(document, '/img/1.jpg'),
    each: caption.each,
    fields,
  })
  assert.equal(answer.lists[0]!.rows.length, 12)
  assert.deepEqual(
    answer.lists[0]!.fields.map(({ filled }) => filled),
    [12, 12],
  )
})
