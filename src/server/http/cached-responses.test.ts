// Tests cached responses, and which callers get them.
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { FakeClock } from '../../lib/clocks.ts'
import type { Caller } from '../../model/access.ts'
import { CachedResponses, type CacheParts } from './cached-responses.ts'

const url = '/jobs/job-1/status'

function asked(
  change: { request?: object; caller?: Partial<Caller> | null; isOff?: boolean; untilIn?: number } = {},
) {
  const clock = new FakeClock()
  const quick = new CachedResponses()
  const said = { text: '{"ü":1}', until: clock.now() + (change.untilIn ?? 1_000) }
  quick.offer(url, { workspace: 'team', host: 'kscrape.example', route: '/jobs/:id/status', said })
  const caller = { workspace: 'team', scopes: ['read'], limits: {}, ...change.caller } as Caller
  const answered: string[] = []
  const parts: CacheParts = {
    ...{
      clock,
      headers: { 'x-safe': '1' },
      clientRequestId: () => 'mine',
      isOff: () => change.isOff ?? false,
    },
    callerOn: () => (change.caller === null ? null : caller),
    answered: route => void answered.push(route),
  }
  let head: Record<string, unknown> | undefined
  let body: string | undefined
  const response = {
    writeHead: (_status: number, headers: Record<string, unknown>) => {
      head = headers
    },
    end: (text: string) => {
      body = text
    },
  } as unknown as ServerResponse
  const request = {
    method: 'GET',
    url,
    headers: { host: 'kscrape.example' },
    ...change.request,
  } as IncomingMessage
  return { given: quick.give(parts, request, response), head, body, answered }
}

test('a known caller gets the cached response with its length and its ids', () => {
  const { given, head, body, answered } = asked()
  assert.deepEqual([given, body, answered], [true, '{"ü":1}', ['/jobs/:id/status']])
  assert.equal(head?.['content-length'], 8)
  assert.equal(head?.['x-client-request-id'], 'mine')
  assert.equal(head?.['x-safe'], '1')
  assert.ok(head?.['x-request-id'])
})

test('every request that must not be answered from the cache reaches the app', () => {
  const host = 'kscrape.example'
  const others: Array<Parameters<typeof asked>[0]> = [
    ...[{ caller: null }, { caller: { workspace: 'other' } }, { caller: { scopes: [] } }],
    ...[{ caller: { limits: { requestsPerMinute: 5 } } }, { isOff: true }, { untilIn: 0 }],
    ...[
      { request: { method: 'POST' } },
      { request: { url: `${url}?a` } },
      { request: { headers: { host: 'x' } } },
    ],
    { request: { headers: { host, 'x-workspace-id': 'team' } } },
    { request: { headers: { host, 'content-length': '0' } } },
    { request: { headers: { host, 'transfer-encoding': 'chunked' } } },
  ]
  for (const other of others) assert.equal(asked(other).given, false, JSON.stringify(other))
})
