// Tests documents for API callers: a costly page is parsed in another process. If that fails, the page is refused at once next time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../lib/clocks.ts'
import type { Page } from '../../model/page/page.ts'
import type { DocumentOptions } from '../../pipeline/work/documents/page-document.ts'
import { DocumentReader } from './document-reader.ts'
import { ReaderProcess } from './page-reader.ts'

const url = 'http://a.example/'
const options: DocumentOptions = {
  part: { onlyMainContent: false, includeTags: [], excludeTags: [] },
  pii: 'keep',
  wants: ['markdown', 'html', 'source', 'links', 'images', 'metadata', 'texts'],
  attributes: [{ selector: 'a', attribute: 'href' }],
  schemas: [{ properties: { name: { type: 'string' } } }],
}

function pageOf(body: string): Page {
  const bytes = Buffer.from(body)
  return {
    ...{ url, finalUrl: url, status: 200, headers: [['content-type', 'text/html']], body: bytes },
    ...{ wireBytes: bytes.length, startedAt: 0, sentAt: 0, endedAt: 0 },
  } as unknown as Page
}

test('a large page gives the same document as a small one', async () => {
  await using documents = new DocumentReader(new FakeClock())
  const html =
    '<title>T</title><meta itemprop=name content=N><a href=/x>link</a><img src=/i.png><p hidden>unseen</p>'
  const small = await documents.make(pageOf(html), options)
  const large = await documents.make(pageOf(`${html}<!--${' '.repeat(200_000)}-->`), options)
  assert.equal(small?.metadata?.title, 'T')
  assert.deepEqual(small?.texts?.hidden, ['unseen'])
  assert.deepEqual({ ...large, html: '', source: '' }, { ...small, html: '', source: '' })
})

test('a page that is too costly is refused; the next request is refused at once, and a later one parses the page again', async () => {
  const clock = new FakeClock()
  await using documents = new DocumentReader(clock, new ReaderProcess({ scraperFiles: [] }, { timeoutMs: 1 }))
  const page = pageOf('<p>a'.repeat(50_000))
  const refusal = async () => documents.make(page, options).catch((error: unknown) => error)
  const first = await refusal()
  assert.equal((first as { code?: string }).code, 'page.too-costly')
  assert.equal(await refusal(), first)
  clock.advance(600_001)
  assert.notEqual(await refusal(), first)
})

test('for pages of 16 KB and more, selectors of callers run in another process', async () => {
  await using documents = new DocumentReader(
    new FakeClock(),
    new ReaderProcess({ scraperFiles: [] }, { timeoutMs: 1 }),
  )
  const page = pageOf('<p>a'.repeat(5_000))
  assert.equal((await documents.make(page, { ...options, attributes: [] }))?.metadata?.title, null)
  await assert.rejects(documents.make(page, options), { code: 'page.too-costly' })
})
