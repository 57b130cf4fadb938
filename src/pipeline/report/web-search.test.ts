// Tests the requests to a search engine, and how its responses are used.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FetchRequest, Page } from '../../model/page/page.ts'
import { addressOf, resultsIn, searxng } from './web-search.ts'

const never = new AbortController().signal

test('a web search sends the query, the category, the language and the time range as parameters', () => {
  const asked = { query: 'a b', kind: 'news', limit: 5, language: 'de', timeRange: 'week' } as const
  assert.equal(
    addressOf('http://engine.example/sub/', asked, 2),
    'http://engine.example/sub/search?q=a+b&format=json&categories=news&pageno=2&language=de&time_range=week',
  )
  assert.match(
    addressOf('http://e.example', { ...asked, category: 'science' }, 1),
    /search\?q=a\+b&format=json&categories=science/,
  )
})

/** A fake search engine whose result pages have these results. */
function engine(pages: string[][], status = 200) {
  const asked: string[] = []
  const fetch = async ({ url }: FetchRequest) => {
    asked.push(url)
    const page = Number(new URL(url).searchParams.get('pageno'))
    const results = (pages[page - 1] ?? []).map(name => ({ url: `https://${name}.example/`, title: name }))
    return { url, status, body: Buffer.from(JSON.stringify({ results })) } as unknown as Page
  }
  return { asked, ...searxng(fetch, 'http://engine.example') }
}

test('further result pages are requested until there are enough results, and each result is returned once', async () => {
  const { search, asked } = engine([['a', 'b'], ['b', 'c'], ['d']])
  const found = await search({ query: 'x', kind: 'web', limit: 3 }, never)
  assert.deepEqual(
    found.map(({ title }) => title),
    ['a', 'b', 'c'],
  )
  assert.equal(asked.length, 2)
})

test('an engine without more results is not requested again', async () => {
  const { search, asked } = engine([['a'], ['a'], ['b']])
  assert.equal((await search({ query: 'x', kind: 'web', limit: 9 }, never)).length, 1)
  assert.equal(asked.length, 2)
})

test('an error of the search engine names the setting with its address', async () => {
  const { search } = engine([], 403)
  await assert.rejects(search({ query: 'x', kind: 'web', limit: 9 }, never), {
    message: /engine\.example \(SCRAPER_SEARXNG_URL\) answered 403; .*"json"/,
  })
})

test('results without a web URL are left out, and other responses are refused', () => {
  const page = (value: unknown) => ({
    url: 'http://engine.example/',
    body: Buffer.from(JSON.stringify(value)),
  })
  const image = { url: 'https://a.example/', img_src: 'https://a.example/i.png', resolution: '640x480' }
  const [found] = resultsIn(page({ results: [{ url: 'magnet:x' }, null, { title: 'no' }, image] }))
  assert.deepEqual(
    [found?.imageUrl, found?.imageWidth, found?.imageHeight],
    ['https://a.example/i.png', 640, 480],
  )
  assert.throws(() => resultsIn(page({ hits: [] })), { code: 'content.unreadable' })
})
