// Tests that everything that was opened with a key is closed when the key is revoked, whichever process revokes it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { revokeKey } from '../../src/roles/local/keys.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'

let site: TestSite
let service: TestService
let jobId: string
before(async () => {
  site = await startTestSite()
  service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' },
  })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

interface Made {
  key: string
  key_id: string
}

const newKey = async (): Promise<Made> =>
  (await service.ask<Made>('/keys', { body: { name: 'short', scopes: ['read', 'submit'] } })).body

/** Opens a stream and reads the first data. `ended` resolves when the stream closes, for any reason. */
async function openStream(path: string, key: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.url}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  assert.equal(response.status, 200)
  const reader = response.body!.getReader()
  const readAll = async () => {
    while (!(await reader.read()).done);
  }
  return { ended: readAll().catch(() => {}) }
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** The stream of notifications of an MCP session. */
async function openMcp(key: string) {
  const accept = 'application/json, text/event-stream'
  const first = await service.ask('/mcp', { key, headers: { accept }, body: initialize })
  return openStream('/mcp', key, { accept, 'mcp-session-id': first.headers.get('mcp-session-id')! })
}

test('event streams, watchers and MCP sessions end when the service revokes their key', async () => {
  const held = site.hold('/held')
  try {
    const { key, key_id } = await newKey()
    jobId = (
      await service.ask<{ id: string }>('/v2/crawl', { key, body: { url: `${site.url}/held`, limit: 1 } })
    ).body.id
    const streams = [
      await openStream('/events', key),
      await openStream(`/jobs/${jobId}/events`, key),
      await openMcp(key),
    ]
    const watcher = new WebSocket(`${service.url.replace('http', 'ws')}/v2/crawl/${jobId}`, key)
    await once(watcher, 'message')
    const closed = once(watcher, 'close') as Promise<[number, Buffer]>
    const revoked = await service.ask(`/keys/${key_id}`, { method: 'DELETE' })
    assert.equal(revoked.status, 200)
    await Promise.all(streams.map(({ ended }) => ended))
    const [code, reason] = await closed
    assert.deepEqual([code, String(reason).includes('revoked')], [3_000, true])
    assert.equal((await service.ask('/events', { key })).status, 401)
  } finally {
    held.release()
  }
})

test('a stream ends when another process revokes its key, and streams of other keys continue', async () => {
  const [one, other] = [await newKey(), await newKey()]
  const stream = await openStream('/events', one.key)
  const stays = await openStream('/events', other.key)
  await revokeKey(service.folder, one.key_id)
  await stream.ended
  assert.equal(await Promise.race([stays.ended.then(() => 'ended'), Promise.resolve('open')]), 'open')
  await revokeKey(service.folder, other.key_id)
  await stays.ended
})

test('a request that revokes its own key still gets its response', async () => {
  const { body } = await service.ask<Made>('/keys', { body: { name: 'self', scopes: ['admin'] } })
  const answer = await service.ask(`/keys/${body.key_id}`, { method: 'DELETE', key: body.key })
  assert.equal(answer.status, 200)
  assert.ok(answer.body.revoked_at)
})
