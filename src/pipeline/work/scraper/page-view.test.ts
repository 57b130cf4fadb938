// Tests the page view: what scrapers can read from a page, and the errors if the page has changed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../model/failures.ts'
import type { Page } from '../../../model/page/page.ts'
import type { LivePage } from '../../../model/policy/rendering.ts'
import { pageViewOf } from './page-view.ts'

const url = 'https://shop.example/kettles/5'
const page: Page = {
  ...{ url, finalUrl: url, status: 200, headers: [], body: Buffer.alloc(0), wireBytes: 0, hops: [] },
  ...{ remoteAddress: null, httpVersion: '1.1', startedAt: 0, sentAt: 0, endedAt: 0 },
}
const view = (html: string) => pageViewOf(html, page)
const siteChanged = (message: RegExp) => (error: unknown) =>
  error instanceof Failure && error.code === 'extract.site-changed' && message.test(error.message)

test('text is normalized, block elements are separated, and missing values are null', () => {
  const seen = view('<h1>\n Kettle <b>No. 5</b></h1><div id="a"><p>one</p><p>two</p></div>')
  assert.equal(seen.text('h1'), 'Kettle No. 5')
  assert.equal(seen.text('#a'), 'one two')
  assert.equal(seen.text('.none'), null)
  assert.equal(seen.attr('.none', 'id'), null)
  assert.equal(seen.html('#a'), '<p>one</p><p>two</p>')
  assert.equal(seen.html('.none'), null)
  assert.deepEqual(seen.all('p'), ['one', 'two'])
})

test('each() returns one view per match, and each view contains only its own part of the page', () => {
  const rows = view('<li><a href="/a">A</a></li><li><a href="/b">B</a></li>').each('li')
  assert.deepEqual(
    rows.map(row => [row.text('a'), row.links()]),
    [
      ['A', ['https://shop.example/a']],
      ['B', ['https://shop.example/b']],
    ],
  )
})

test('the cells of a table are named by its header, or by position if there is no header', () => {
  const head = view('<table><thead><tr><td>Item<td>Amount</thead><tr><td>Tax<td>$4</table>')
  assert.deepEqual(head.table('table'), [{ Item: 'Tax', Amount: '$4' }])
  const bare = view('<table><tr><td>Tax<td>$4</table>')
  assert.deepEqual(bare.table('table'), [{ 0: 'Tax', 1: '$4' }])
  assert.deepEqual(bare.table('.none'), [])
})

test('links are absolute, appear once each, and lead only to pages', () => {
  const seen = view('<base href="/de/"><a href="x">1</a><a href="x">2</a><a href="mailto:a@b.example">3</a>')
  assert.deepEqual(seen.links(), ['https://shop.example/de/x'])
})

test('meta() returns the value of the first given name that the page has', () => {
  const seen = view('<meta name="description" content=" "><meta property="OG:Title" content=" A &amp; B ">')
  assert.equal(seen.meta('description', 'og:title'), 'A & B')
  assert.equal(seen.meta('twitter:title'), null)
})

test('structured data is found by path and by type, in every syntax', () => {
  const seen = view(`<script type="application/ld+json">{"@type":"Product","offers":{"price":"9.50"}}</script>
    <div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Cup</b></div>`)
  assert.equal(seen.jsonld('Product.offers.price'), '9.50')
  assert.equal(seen.jsonld('Product.name'), null)
  assert.deepEqual(
    seen.things('product').map(thing => thing.from),
    ['jsonld', 'microdata'],
  )
  assert.equal(seen.things('Person').length, 0)
  assert.equal(seen.things().length, 2)
})

test('markdown() returns the main content, or the given part', () => {
  const seen = view('<nav>menu</nav><main><h1>Kettle</h1><p>It <b>whistles</b>.</p></main>')
  assert.equal(seen.markdown(), '# Kettle\n\nIt **whistles**.')
  assert.equal(seen.each('p')[0]?.markdown(), 'It **whistles**.')
})

test('a missing element is an error that names the selector', () => {
  const seen = view('<h1>Welcome</h1>')
  seen.expect('h1', /welcome/i)
  assert.throws(
    () => seen.expect('h1', /statement/),
    siteChanged(/h1 has the text "Welcome", which does not match \/statement\//),
  )
  assert.throws(() => seen.expect('.total'), siteChanged(/\.total matches nothing/))
  assert.throws(() => seen.json(), siteChanged(/is not JSON/))
})

test('expect() with a global regular expression gives the same result each time', () => {
  const seen = view('<h1>Welcome</h1>')
  const pattern = /welcome/gi
  seen.expect('h1', pattern)
  seen.expect('h1', pattern)
})

test('require() names every missing field, and returns the other fields as non-null', () => {
  const seen = view('<h1>Kettle</h1>')
  const { title } = seen.require({ title: seen.text('h1') })
  assert.equal(title.length, 6)
  const fields = { title: seen.text('h1'), price: seen.text('.price'), images: [], count: 0 }
  assert.throws(() => seen.require(fields), siteChanged(/has no price, no images;/))
})

const form = `<form id="f" method="POST" action="find?x=1">
  <input type="hidden" name="state" value="a&amp;b"><input name="q"><input name="off" value="1" disabled>
  <input type="checkbox" name="tag" value="red" checked><input type="checkbox" name="tag" value="blue" checked>
  <input type="checkbox" name="news"><input type="radio" name="size" value="s"><input type="radio" name="size" value="m" checked>
  <select name="year"><option value="24">2024<option value="25" selected>2025</select>
  <select name="unit"><option>km</option><option>mi</option></select>
  <textarea name="note">hello</textarea><input type="file" name="photo">
  <button type="button" name="help" value="1">?</button><button name="go" value="find">Find</button><button name="go" value="clear">Clear</button>
</form><input form="f" name="outside" value="yes"><input name="stray" value="no">`

test('a form has the fields that a browser sends on Enter, including hidden fields and the first button', () => {
  assert.deepEqual(view(form).form('#f'), {
    action: 'https://shop.example/kettles/find?x=1',
    method: 'POST',
    fields: {
      ...{ state: 'a&b', q: '', tag: ['red', 'blue'], size: 'm', year: '25', unit: 'km', note: 'hello' },
      ...{ go: 'find', outside: 'yes' },
    },
  })
})

test('a form without an action is submitted to the page that contains it, by GET', () => {
  assert.deepEqual(view('<form><input name="q" value="x"></form>').form('form'), {
    action: url,
    method: 'GET',
    fields: { q: 'x' },
  })
})

test('if a form is missing, or the element is not a form, this is an error', () => {
  assert.throws(() => view('').form('#f'), siteChanged(/#f matches nothing/))
  assert.throws(() => view('<div id="f">').form('#f'), siteChanged(/#f is a <div>, not a form/))
})

const later = '<ul><li>one</li><li class="more">two</li></ul>'

/** A page that is open in a fake browser, and the calls to this browser. */
function openPage(): { page: Page; asked: string[] } {
  const asked: string[] = []
  const live: LivePage = {
    waitFor: async (selector, timeoutMs) => asked.push(`wait ${selector} ${timeoutMs}`) > 0,
    scroll: async ({ times, until }) => asked.push(`scroll ${times} ${until}`),
    html: async () => later,
  }
  return { page: { ...page, rendered: { why: 'asked for', artifacts: [], live } }, asked }
}

test('on a page that is open in a browser, the scraper waits for late content and gets a new view with it', async () => {
  const { page: rendered, asked } = openPage()
  const first = pageViewOf('<ul><li>one</li></ul>', rendered)

  const waited = await first.waitForContent('.more', { timeoutMs: 700 })
  const scrolled = await first.scrollForContent({ times: 3, until: '.end' })

  assert.equal(waited.text('.more'), 'two')
  assert.equal(scrolled.text('.more'), 'two')
  assert.equal(first.text('.more'), null)
  assert.deepEqual(asked, ['wait .more 700', 'scroll 3 .end'])
})

test('the scraper does not wait for content that the page already has', async () => {
  const { page: rendered, asked } = openPage()
  const first = pageViewOf(later, rendered)
  assert.equal((await first.waitForContent('.more')).text('.more'), 'two')
  assert.equal((await first.scrollForContent({ until: '.more' })).text('.more'), 'two')
  assert.deepEqual(asked, [])
})

test('on a page without a browser, waitForContent and scrollForContent return the page as it is', async () => {
  const first = view('<p>one</p>')
  assert.equal((await first.waitForContent('.more')).text('p'), 'one')
  assert.equal((await first.scrollForContent()).text('p'), 'one')
})

test('if a page without a browser lacks the content, waitForContent moves the page to a browser if the job allows that', async () => {
  const needBrowser = (why: string) => new Failure('render.needed', why)
  const first = pageViewOf('<p>one</p>', page, { renewed: () => first, needBrowser })
  assert.equal((await first.waitForContent('p')).text('p'), 'one')
  await assert.rejects(first.waitForContent('.more'), { code: 'render.needed', message: /\.more/ })
  await assert.rejects(first.scrollForContent({ until: '.more' }), { code: 'render.needed' })
})
