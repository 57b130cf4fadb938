// Tests request bodies with encodings: each is decoded within the limits or refused, and errors name the field.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await TestService.open({ settings: { maxBodyBytes: 200_000 } })
})
after(() => service?.[Symbol.asyncDispose]())

interface Refused {
  error: { code: string; message: string; field?: string }
}

const job = { urls: ['https://a.example/'] }
const gzip = { 'content-encoding': 'gzip' }

test('a request body in gzip is accepted', async () => {
  for (const encoding of ['gzip', 'X-GZIP']) {
    const raw = gzipSync(JSON.stringify(job))
    const answer = await service.ask('/jobs', { raw, headers: { 'content-encoding': encoding } })
    assert.equal(answer.status, 202, answer.text)
  }
})

test('a body in another encoding gets 415, and the response names the accepted encoding', async () => {
  const raw = brotliCompressSync(JSON.stringify(job))
  for (const encoding of ['br', 'zstd', 'gzip, gzip']) {
    const answer = await service.ask<Refused>('/jobs', { raw, headers: { 'content-encoding': encoding } })
    assert.equal(answer.status, 415)
    assert.match(answer.body.error.message, /is not supported; send gzip/)
    assert.equal(answer.headers.get('accept-encoding'), 'gzip, identity')
  }
})

test('a gzip body that is invalid or truncated is a bad request, and the response says why', async () => {
  const whole = gzipSync(JSON.stringify(job))
  for (const raw of ['{"urls":[]}', whole.subarray(0, -6)]) {
    const answer = await service.ask<Refused>('/jobs', { raw, headers: gzip })
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.error.message, /not the gzip/)
  }
})

test('the limit of a body applies to its decompressed size', async () => {
  const raw = gzipSync(Buffer.alloc(100_000_000, ' '))
  assert.ok(raw.length < 200_000)
  const answer = await service.ask<Refused>('/jobs', { raw, headers: gzip })
  assert.equal(answer.status, 413, answer.text)
})

test('the error for an invalid header, pattern, scraper or key of rules names the field', async () => {
  for (const [more, field, message] of [
    [
      { headers: { Host: 'b.example' } },
      'headers.Host',
      /headers\.Host: the connection itself sets this header/,
    ],
    [{ headers: { 'a b': 'c' } }, 'headers.a b', /not a header name/],
    [{ include: ['re:(?i)foo'] }, 'include[0]', /include\[0\]: .*"\(\?i\)" ignores letter case/],
    [{ include: ['/ok/**'], exclude: ['/a', 're:(?=x)'] }, 'exclude[1]', /"\(\?=" is a lookaround/],
    [{ scraper_id: 'nope' }, 'scraper_id', /no scraper is called "nope"/],
    [
      { extract: { fields: { a: { regex: 'x(?i)y' } } } },
      'extract.fields.a.regex',
      /"\(\?i\)" sets flags and must be at the start/,
    ],
    [{ extract: { fields: { constructor: 'h1' } } }, 'extract.fields.constructor', /reserves this name/],
    [{ extract: { fields: { prototype: 'h1' } } }, 'extract.fields.prototype', /reserves this name/],
    [
      JSON.parse('{"extract":{"fields":{"__proto__":"h1"}}}'),
      'extract.fields.__proto__',
      /reserves this name/,
    ],
    [
      JSON.parse('{"extract":{"fields":{"a":{"css":"b","fields":{"__proto__":"h1"}}}}}'),
      'extract.fields.a.fields.__proto__',
      /reserves/,
    ],
  ] as const) {
    // The job is a crawl, because include and exclude have no effect in a list.
    const answer = await service.ask<Refused>('/jobs', { body: { seed_urls: job.urls, depth: 1, ...more } })
    assert.equal(answer.status, 422, answer.text)
    assert.equal(answer.body.error.field, field)
    assert.match(answer.body.error.message, message)
  }
})

test('the error for an invalid header names the field, and the error for an invalid pattern gives the reason', async () => {
  const asked = { url: 'https://a.example/', headers: { Host: 'b.example' } }
  for (const path of ['/v1/scrape', '/v2/scrape', '/previews']) {
    const answer = await service.ask(path, { body: asked })
    assert.ok(answer.status === 400 || answer.status === 422, `${path} ${answer.text}`)
    assert.match(answer.text, /headers\.Host/)
  }
  const crawl = await service.ask('/v2/crawl', { body: { url: asked.url, includePaths: ['(?i)x'] } })
  assert.equal(crawl.status, 400)
  assert.match(crawl.text, /ignores letter case/)
})

test('a form with too many fields, too long headers or too large options is refused before it is parsed completely', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=edge' }
  const field = (name: string, value: string) =>
    `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const file = '--edge\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\ntext\r\n'
  const bodies: Array<[string, RegExp]> = [
    [field('a', '').repeat(200_000), /more than 20 fields/],
    [`--edge\r\n${'x: y\r\n'.repeat(200_000)}\r\n`, /header is too long/],
    [`${file}${field('options', `[${'{},'.repeat(1_000_000)}0]`)}`, /options: they are longer/],
    [file.replace('a.txt', 'a'.repeat(1_000)), /name has more than 255/],
  ]
  for (const [body, message] of bodies) {
    const answer = await service.ask('/v2/parse', { raw: `${body}--edge--\r\n`, headers })
    assert.ok(answer.status >= 400 && answer.status < 500, answer.text)
    assert.match(answer.text, message)
  }
})
