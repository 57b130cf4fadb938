// Tests pages with resources. Redirects and resources are stored in the same segment, and the page can be read back alone.
import assert from 'node:assert/strict'
import test from 'node:test'
import { MapBlobs, somePage } from '../../test/support/results-parts.ts'
import type { Page } from '../model/page/page.ts'
import type { PageParts, PartExchange } from '../model/page/page-parts.ts'
import { erasePages } from './erase-pages.ts'
import { SharedBodies } from './exports/shared-bodies.ts'
import { segmentName } from './keys.ts'
import { readPage, readRun } from './read-page.ts'
import { SegmentWriter } from './segment-writer.ts'
import { asked } from './warc-exchanges.ts'
import { warcMembers } from './warc-members.ts'
import { responseOf } from './warc-reader.ts'

const startedAt = Date.UTC(2026, 2, 4, 5, 6, 7, 89)
const part = (url: string, body: string, change: Partial<PartExchange> = {}): PartExchange => ({
  ...{ url, method: 'GET', requestHeaders: [['accept', '*/*']], requestBody: null, status: 200 },
  ...{ headers: [['content-type', 'text/css']], body: Buffer.from(body), remoteAddress: null },
  ...{ httpVersion: '1.1', startedAt, endedAt: startedAt + 5 },
  ...change,
})
const archived = (n: number, exchanges: PartExchange[], change: Partial<PageParts> = {}): Page => {
  const url = `https://shop.example/p/${n}`
  const document = part(url, `<p>source ${n}`, { headers: [['content-type', 'text/html']] })
  const parts = { exchanges: [document, ...exchanges], skipped: [], isWhole: true, ...change }
  return somePage({ url, finalUrl: url, body: Buffer.from(`<p>rendered ${n}`), remoteAddress: null, parts })
}
const withoutParts = ({ parts: _, ...page }: Page): Page => page

async function stored(...batches: Page[][]) {
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, segmentName('job-1', 'run-1'))
  const pending = []
  for (const pages of batches) {
    pending.push(...pages.map(page => writer.add(page)))
    await writer.flush()
  }
  return { blobs, refs: pending.map(({ ref }) => ref) }
}

const typesIn = (bytes: Buffer): string[] =>
  [...warcMembers(bytes)].map(({ headers }) =>
    `${headers.get('WARC-Type')} ${headers.get('WARC-Target-URI') ?? ''}`.trim(),
  )

test('an archived page is read back as its markup, and its parts are not pages', async () => {
  const page = archived(1, [part('https://shop.example/a.css', 'p{}')])
  const { blobs, refs } = await stored([page])

  assert.deepEqual(await readPage(blobs, refs[0]!), withoutParts(page))
  assert.deepEqual(await readRun(blobs, refs[0]!), [asked(withoutParts(page))])
  assert.deepEqual(typesIn(await blobs.read(refs[0]!)), [
    'response https://shop.example/p/1',
    'request https://shop.example/p/1',
    'response https://shop.example/a.css',
    'request https://shop.example/a.css',
    'resource urn:dom:https://shop.example/p/1',
  ])
})

test('each redirect of a plain page is stored as a separate response, and the page is read back unchanged', async () => {
  const redirect = part('http://shop.example/old', '', {
    status: 301,
    headers: [
      ['location', 'https://shop.example/p/1'],
      ['set-cookie', 'a=1'],
    ],
  })
  const page = somePage({ parts: { exchanges: [redirect], skipped: [], isWhole: false } })
  const { blobs, refs } = await stored([page])

  const [first] = warcMembers(await blobs.read(refs[0]!))
  const { status, httpHeaders } = responseOf(first!)
  assert.deepEqual([status, httpHeaders.slice(0, 2)], [301, redirect.headers])
  assert.deepEqual(await readPage(blobs, refs[0]!), withoutParts(page))
})

test('a POST is stored with its body, and a metadata record lists the skipped resources', async () => {
  const post = part('https://shop.example/api', '[]', { method: 'POST', requestBody: Buffer.from('{"a":1}') })
  const skipped = [{ url: 'https://shop.example/film', why: 'too large' }]
  const { blobs, refs } = await stored([archived(1, [post], { skipped })])

  const members = [...warcMembers(await blobs.read(refs[0]!))]
  const request = members.find(({ block }) => block.toString().startsWith('POST /api HTTP/1.1\r\n'))
  assert.ok(request?.block.toString().endsWith('\r\n\r\n{"a":1}'))
  const metadata = members.find(({ headers }) => headers.get('WARC-Type') === 'metadata')
  assert.deepEqual(JSON.parse(metadata!.block.toString()), { skipped })
})

test('a body is stored once per segment, and a revisit record of an export refers to a body in the same file', async () => {
  const css = () => part('https://shop.example/a.css', 'p { color: red }')
  const { blobs, refs } = await stored([archived(1, [css()])], [archived(2, [css()])])
  const second = await blobs.read(refs[1]!)
  assert.deepEqual(typesIn(second)[2], 'revisit https://shop.example/a.css')

  const both = new SharedBodies(blobs)
  const [one, two] = [
    await both.records(await blobs.read(refs[0]!), refs[0]!.key),
    await both.records(second, refs[1]!.key),
  ]
  assert.deepEqual(
    [typesIn(one)[2], typesIn(two)[2]].map(type => type?.split(' ')[0]),
    ['response', 'revisit'],
  )
  const revisit = [...warcMembers(two)][2]!
  assert.equal(revisit.headers.get('WARC-Refers-To-Target-URI'), 'https://shop.example/a.css')
  assert.equal(revisit.headers.get('WARC-Refers-To-Date'), new Date(startedAt).toISOString())
  assert.ok(!revisit.headers.has('Kscrape-Payload-At'))

  // Assumes that the first page failed, so that only the second page is exported.
  const [, , whole] = warcMembers(await new SharedBodies(blobs).records(second, refs[1]!.key))
  assert.equal(whole!.headers.get('WARC-Type'), 'response')
  assert.equal(responseOf(whole!).body.toString(), 'p { color: red }')
})

test('equal bodies of one batch are exported once, but not across hosts and not for POSTs', async () => {
  const exchanges = [
    part('https://shop.example/a.css', 'same'),
    part('https://shop.example/b.css', 'same'),
    part('https://other.example/a.css', 'same'),
    part('https://shop.example/api', 'same', { method: 'POST', requestBody: Buffer.from('x') }),
  ]
  const { blobs, refs } = await stored([archived(1, exchanges)])
  const exported = await new SharedBodies(blobs).records(await blobs.read(refs[0]!), refs[0]!.key)
  assert.deepEqual(
    typesIn(exported).filter(type => !/^(request|resource)/.test(type)),
    [
      'response https://shop.example/p/1',
      'response https://shop.example/a.css',
      'revisit https://shop.example/b.css',
      'response https://other.example/a.css',
      'response https://shop.example/api',
    ],
  )
})

test('erasing a host also erases its resources in pages of other hosts, and nothing else', async () => {
  const { blobs, refs } = await stored([archived(1, [part('https://cdn.example/x.js', 'secret')])])
  const { pages } = await erasePages(blobs, refs[0]!.key, host => host === 'cdn.example')

  assert.equal(pages, 0)
  const bytes = await blobs.read(refs[0]!)
  assert.ok(!typesIn(bytes).some(type => type.includes('cdn.example')))
  assert.equal((await readPage(blobs, refs[0]!)).body.toString(), '<p>rendered 1')

  const own = await erasePages(blobs, refs[0]!.key, host => host === 'shop.example')
  assert.equal(own.pages, 1)
  assert.ok(!typesIn(await blobs.read(refs[0]!)).some(type => type.includes('shop.example')))
})
