// Tests the largest and most difficult bodies on every route: each is refused with a few errors.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { usualBodyBytes } from '../../src/server/http/bodies.ts'
import { operatorKey, TestService } from '../support/service.ts'

interface Route {
  method: string
  path: string
}

/** Routes that the OpenAPI document leaves out: those with the API of another product, and MCP. */
const hidden: Route[] = [
  ...['scrape', 'batch/scrape', 'crawl', 'map'].flatMap(path =>
    [1, 2].map(version => ({ method: 'POST', path: `/v${version}/${path}` })),
  ),
  { method: 'POST', path: '/mcp' },
  { method: 'POST', path: '/do-not-crawl/request' },
]

const megabyte = 1_048_576
const filled = (bytes: number, entry: (index: number) => string): string => {
  const entries: string[] = []
  for (let length = 0, index = 0; length < bytes - 200; index++) {
    const next = entry(index)
    entries.push(next)
    length += next.length + 1
  }
  return entries.join(',')
}

/** Bodies of about this many bytes, by name. */
const worstBodies: Record<string, (bytes: number) => string> = {
  'unknown keys': bytes => `{${filled(bytes, index => `"urlz${index}":0`)}}`,
  'unknown keys far apart': bytes => `{${filled(bytes, index => `"u${'r'.repeat(60)}l${index}":0`)}}`,
  'one long key': bytes => `{"${'u'.repeat(bytes - 50)}":0}`,
  'misspelt keys': bytes => `{${filled(bytes, index => `"Urls${index}":0`)}}`,
  'wrong values in lists': bytes =>
    `{"urls":[${filled(bytes / 2, () => '0')}],"items":[${filled(bytes / 2, () => '{}')}]}`,
  'wrong values after valid ones': bytes =>
    `{"urls":[${Array(2_000).fill('"http://a.example/"').join()},${filled(bytes - 50_000, () => '"x"')}]}`,
  'a list of objects': bytes => `[${filled(bytes, () => '{}')}]`,
  'unknown keys in a job': bytes =>
    `{"name":"x","cron":"0 0 * * *","time_zone":"UTC","job":{${filled(bytes, index => `"urlz${index}":0`)}}}`,
  'unknown rules': bytes =>
    `{"url":"http://a.example/","extract":{"fields":{${filled(bytes, index => `"f${index}":{"csss":"a"}`)}}}}`,
  'many levels': bytes => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
}

describe('request bodies', () => {
  let service: TestService
  let routes: Route[]
  const takingLists: Route[] = []
  before(async () => {
    service = await TestService.open({ settings: { denyHosts: ['a.example'] } })
    const { body } = await service.ask<{ paths: Record<string, Record<string, unknown>> }>('/openapi.json')
    const shown = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => ({
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/g, 'x'),
      })),
    )
    routes = [...shown, ...hidden].filter(
      ({ method, path }) => !['GET', 'HEAD'].includes(method) && !path.endsWith('/content'),
    )
    assert.ok(routes.length > 40, String(routes.length))
    // Finds the routes that take lists. All other routes refuse a body of this length with 413.
    const long = `{"${'x'.repeat(2 * usualBodyBytes)}":0}`
    for (const route of routes) if ((await send(route, long)).status !== 413) takingLists.push(route)
  })
  after(() => service?.[Symbol.asyncDispose]())

  const send = ({ method, path }: Route, raw: string, key: string | null = operatorKey) =>
    service.ask<{ error: unknown }>(path, {
      ...{ method, raw, key },
      headers: { accept: 'application/json, text/event-stream' },
    })

  for (const [name, make] of Object.entries(worstBodies))
    test(`every route refuses ${name} and reports at most 20 errors`, async () => {
      const small = make(usualBodyBytes)
      const large = make(megabyte)
      for (const route of routes) {
        const { status, text } = await send(route, takingLists.includes(route) ? large : small)
        const what = `${route.method} ${route.path}: ${status} ${text.slice(0, 300)}`
        assert.ok(status >= 400 && status < 500, what)
        assert.ok(text.length < 20_000, what)
        assert.ok((text.match(/unknown/g)?.length ?? 0) <= 42, what)
      }
    })

  test('a route without lists refuses more than 64 KB, also from a caller without a key', async () => {
    const body = worstBodies['unknown keys']!(2 * usualBodyBytes)
    const { status, text } = await send({ method: 'POST', path: '/do-not-crawl/requests' }, body, null)
    assert.equal(status, 413)
    assert.match(text, /larger than the 65,536 bytes that POST \/do-not-crawl\/requests takes/)
  })

  test('a long list of URLs is accepted; if a list is too long, the error suggests /uploads', async () => {
    const urls = (count: number) =>
      JSON.stringify({ urls: Array.from({ length: count }, (_, index) => `http://a.example/${index}`) })
    assert.equal((await send({ method: 'POST', path: '/jobs' }, urls(20_000))).status, 202)
    for (const path of ['/jobs', '/schedules', '/v2/batch/scrape']) {
      const { status, text } = await send({ method: 'POST', path }, urls(60_000))
      assert.equal(status, 413)
      assert.match(text, /1,048,576 bytes.*\/uploads/)
    }
  })
})
