// Tests that a recording contains the requests and responses of a run, without its secrets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { somePage } from '../../../test/support/results-parts.ts'
import type { FetchRequest, Page } from '../../model/page/page.ts'
import { Recorder, recordedRequest } from './recorder.ts'

const signal = new AbortController().signal

async function recorded(...exchanges: Array<[Partial<FetchRequest> & { url: string }, Partial<Page>]>) {
  const recorder = new Recorder()
  for (const [request, page] of exchanges)
    await recorder.layer(async () => somePage({ headers: [], ...page }))(request as FetchRequest, signal)
  return recorder
}

test('robots.txt and retried responses are not recorded', async () => {
  const recorder = await recorded(
    [{ url: 'https://a.example/robots.txt' }, {}],
    [{ url: 'https://a.example/busy' }, { status: 503 }],
    [{ url: 'https://a.example/' }, {}],
    [{ url: 'https://a.example/gone' }, { status: 404 }],
  )
  assert.equal(recorder.count, 2)
})

test('a secret that a later response sets is also removed from earlier pages', async () => {
  const recorder = await recorded(
    [{ url: 'https://a.example/1' }, { body: Buffer.from('hello a1b2c3d4e5f6g7') }],
    [{ url: 'https://a.example/2' }, { headers: [['set-cookie', 'sid=a1b2c3d4e5f6g7; Path=/']] }],
  )
  const [first, second] = recorder.cut()
  assert.doesNotMatch(first!.page.body.toString(), /a1b2c3/)
  assert.match(first!.page.body.toString(), /^hello /)
  assert.doesNotMatch(JSON.stringify(second!.page.headers), /a1b2c3/)
})

test('credentials that were sent are removed from headers and URLs, and from pages that repeat them', async () => {
  const headers = {
    authorization: 'Bearer s3cret-token-1',
    'x-tenant': 'tenant-4711-secret',
    accept: 'text/html',
  }
  const recorder = await recorded([
    { url: 'https://a.example/', headers },
    { body: Buffer.from('you are tenant-4711-secret with s3cret-token-1') },
  ])
  const text = recorder.write().toString('latin1') + JSON.stringify(recorder.cut())
  assert.doesNotMatch(text, /s3cret-token|tenant-4711/)
  assert.match(JSON.stringify(recorder.cut()[0]!.request.headers), /text\/html/)
})

test('two requests that differ only in their secret are recorded as the same request', () => {
  const asked = (token: string) =>
    recordedRequest({
      url: `https://a.example/?access_token=${token}`,
      headers: { cookie: `sid=${token}` },
    } as never)
  assert.deepEqual(asked('aaaa1111bbbb2222'), asked('cccc3333dddd4444'))
  const posted = (body: string) =>
    recordedRequest({ url: 'https://a.example/', method: 'POST', body } as never)
  assert.notEqual(posted('a=1').bodyDigest, posted('a=2').bodyDigest)
  assert.equal(asked('x').bodyDigest, null)
})

test('binary bodies without a secret stay unchanged in a recording', async () => {
  const body = Buffer.from([0x89, 0x50, 0xff, 0x00])
  const recorder = await recorded([
    { url: 'https://a.example/i.png' },
    { body, headers: [['content-type', 'image/png']] },
  ])
  assert.deepEqual(recorder.cut()[0]!.page.body, body)
})
