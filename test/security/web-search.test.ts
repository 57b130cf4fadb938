// Promise: results of the search engine lead to no internal address, and only the operator sees the address of the engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html, ListeningSite, redirectTo, type Served } from '../support/listening-site.ts'
import { TestService } from '../support/service.ts'

const json =
  (value: unknown): Served =>
  response => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }

test('hostile results of a search engine cause no request to an internal address, and errors reveal no key', async () => {
  await using site = await ListeningSite.open({ '/p': html('<p>a result</p>') })
  await using internal = await ListeningSite.open({ '/': html('internal-4711') })
  const searxngUrl = `${site.url}/geheim-4712`
  const settings = { allowPrivate: [site.place], rate: 'unlimited', searxngUrl } as const
  await using service = await TestService.open({ settings })
  const key = await service.key({ workspace: 'alpha' })
  const answerTo = (word: string, first: Served): void => {
    for (const [page, served] of [first, json({ results: [] })].entries())
      site.pages[`/geheim-4712/search?q=${word}&format=json&categories=general&pageno=${page + 1}`] = served
  }
  const search = (query: string) =>
    service.ask<{ data: { web: Array<{ url: string; imageUrl?: string }> } }>('/v2/search', {
      ...{ key, body: { query, limit: 20, scrapeOptions: { formats: ['markdown'] } } },
    })

  const urls = [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://',
    'data:text/html,x',
    `${internal.url}/`,
  ]
  const hostile = [
    ...urls,
    `http://localhost:${new URL(internal.url).port}/`,
    'http://169.254.169.254/',
    `${site.url}/p`,
  ]
  const results = [...hostile.map(url => ({ url, img_src: 'javascript:1', title: { a: 1 } })), null, 5, 'x']
  answerTo('mixed', json({ results }))
  const mixed = await search('mixed')
  assert.equal(mixed.status, 200, mixed.text)
  assert.match(mixed.text, /a result/)
  assert.doesNotMatch(mixed.text, /javascript:|file:|data:text|internal-4711/)

  answerTo('away', redirectTo(`${internal.url}/`))
  answerTo('huge', json({ results: 'x'.repeat(5_000_000) }))
  answerTo('list', json([1, 2]))
  answerTo('gone', response => void response.destroy())
  for (const word of ['away', 'huge', 'list', 'gone', 'missing']) {
    const { status, text } = await search(word)
    assert.ok(status >= 400, `${word} ${status}`)
    assert.doesNotMatch(text, /geheim-4712/, word)
  }
  assert.deepEqual(internal.paths, [])
})
