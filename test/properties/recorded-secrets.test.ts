// Tests that a recording never contains a secret that was sent or received, and can still be replayed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { FetchRequest, Page } from '../../src/model/page/page.ts'
import { timeouts } from '../../src/model/policy/policy.ts'
import { readExchanges } from '../../src/results/warc-exchanges.ts'
import { Recorder } from '../../src/roles/scrapers/recorder.ts'
import { replaying } from '../../src/roles/scrapers/replay.ts'

/** The secrets are long enough to count as secrets, and begin with a prefix that no WARC file contains. */
const secret = fc
  .string({ minLength: 6, maxLength: 40, unit: 'grapheme-ascii' })
  .map(text => `s3cr3t${text.replace(/[\s;,]/g, '-')}`)
const inHeaders = fc.constantFrom(
  'Authorization',
  'Cookie',
  'X-Api-Key',
  'X-Auth-Token',
  'Proxy-Authorization',
  'X-Session',
)
const inQueries = fc.constantFrom(
  'token',
  'api_key',
  'apiKey',
  'access_token',
  'sig',
  'password',
  'X-Amz-Signature',
  'sid',
)
const inForms = fc.constantFrom('password', 'pwd', 'csrf_token', 'client_secret', 'userPassword')
const echo = fc.constantFrom(
  (text: string) => text,
  (text: string) => JSON.stringify({ text }),
  (text: string) => encodeURIComponent(text),
  (text: string) => Buffer.from(text).toString('base64'),
  (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
)

const pageOf = (url: string, setCookie: string, body: string): Page => ({
  url,
  finalUrl: url,
  status: 200,
  headers: [
    ['content-type', 'text/html'],
    ['set-cookie', `session=${setCookie}; HttpOnly`],
  ],
  body: Buffer.from(body),
  wireBytes: body.length,
  hops: [{ from: url, to: url, status: 302 }],
  remoteAddress: null,
  httpVersion: '1.1',
  startedAt: 0,
  sentAt: 0,
  endedAt: 0,
})

const exchange = fc.record({
  header: fc.tuple(inHeaders, secret),
  query: fc.tuple(inQueries, secret),
  form: fc.tuple(inForms, secret),
  asJson: fc.boolean(),
  cookie: secret,
  echo,
  link: secret,
})

type Exchange = typeof exchange extends fc.Arbitrary<infer Value> ? Value : never

const headerValue = ([name, value]: readonly [string, string]): string =>
  ({ Authorization: `Bearer ${value}`, Cookie: `id=${value}; theme=dark` })[name] ?? value

function requestOf({ header, query, form, asJson }: Exchange): FetchRequest {
  const fields = { [form[0]]: form[1], name: 'Ann' }
  return {
    url: `https://example.com/login?${new URLSearchParams({ [query[0]]: query[1], page: '2' })}`,
    method: 'POST',
    headers: { [header[0]]: headerValue(header) },
    body: asJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
    timeouts: timeouts.parse({}),
    maxBytes: 1_000_000,
  }
}

const never = new AbortController().signal
const secretsOf = ({ header, query, form, cookie, link }: Exchange) => [
  header[1],
  query[1],
  form[1],
  cookie,
  link,
]

async function recorded(given: Exchange): Promise<Buffer> {
  const recorder = new Recorder()
  const { url } = requestOf(given)
  const [fromHeader, , fromForm] = secretsOf(given)
  const link = `<a href="/file?a=1&amp;access_token=${encodeURIComponent(given.link)}">file</a>`
  const body = `<p>${given.echo(fromHeader!)}</p>${link}<p>${given.echo(fromForm!)} ${given.echo(given.cookie)}</p>`
  await recorder.layer(async () => pageOf(url, given.cookie, body))(requestOf(given), never)
  return recorder.write()
}

test('a recording contains no secret, neither in headers, URLs and bodies, nor in a page that repeats it', async () => {
  await fc.assert(
    fc.asyncProperty(exchange, async given => {
      const text = gunzipSync(await recorded(given)).toString('latin1')
      for (const value of secretsOf(given))
        for (const form of [
          value,
          encodeURIComponent(value),
          JSON.stringify(value).slice(1, -1),
          Buffer.from(value).toString('base64'),
        ])
          assert.ok(!text.includes(form), `${JSON.stringify(value)} survives as ${form}`)
    }),
  )
})

test('a recording answers a repeated request, even if the request has other secrets than the recorded one', async () => {
  await fc.assert(
    fc.asyncProperty(exchange, secret, async (given, other) => {
      const fetch = replaying(readExchanges(await recorded(given)), 'test.warc.gz')
      const changed: Exchange = {
        ...given,
        header: [given.header[0], other],
        query: [given.query[0], other],
        form: [given.form[0], other],
      }
      for (const one of [given, changed]) assert.equal((await fetch(requestOf(one), never)).status, 200)
    }),
    { numRuns: 50 },
  )
})
