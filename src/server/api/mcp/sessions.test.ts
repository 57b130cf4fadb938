// Tests the limits of open MCP sessions, and which keys may use a session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Caller } from '../../../model/access.ts'
import type { GuardedServer } from '../../parts.ts'
import { type Session, Sessions } from './sessions.ts'

const callerOf = (keyId: string, workspace = 'team') => ({ keyId, workspace }) as Caller

function opened() {
  let now = 0
  const parts = { uploadKey: Buffer.from('the secret of the service'), clock: { now: () => ++now } }
  const server = { parts, open: { keep: () => () => {} } } as unknown as GuardedServer
  const make = async () => new McpServer({ name: 'test', version: '1' })
  const sessions = new Sessions(server, make, { all: 3, ofOneKey: 2 })
  const initialize = async (caller: Caller): Promise<{ id: string; session: Session }> => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
    const session = await sessions.of({ caller, sessionId: undefined, protocolVersion: undefined, body })
    const accept = 'application/json, text/event-stream'
    const headers = { accept, 'content-type': 'application/json' }
    const request = new Request('http://mcp.internal/mcp', { method: 'POST', headers })
    const response = await session.transport.handleRequest(request, { parsedBody: body })
    return { id: response.headers.get('mcp-session-id')!, session }
  }
  const use = (caller: Caller, sessionId: string) =>
    sessions.of({ caller, sessionId, protocolVersion: undefined, body: {} })
  return { sessions, initialize, use }
}

test('if a key opens many sessions, its oldest ones are closed, and a client can continue them', async () => {
  const { initialize, use } = opened()
  const other = await initialize(callerOf('key-2'))
  const first = await initialize(callerOf('key-1'))
  for (let n = 0; n < 5; n++) await initialize(callerOf('key-1'))
  assert.equal(await use(callerOf('key-2'), other.id), other.session)
  const continued = await use(callerOf('key-1'), first.id)
  assert.notEqual(continued, first.session)
})

test('a session with a call in flight is not closed, and a further session is refused instead', async () => {
  const { sessions, initialize } = opened()
  for (let n = 0; n < 2; n++) sessions.begin((await initialize(callerOf('key-1'))).session)
  await assert.rejects(initialize(callerOf('key-1')), /2 MCP sessions are in use/)
  assert.ok((await initialize(callerOf('key-2'))).id)
})

test('a session belongs to a key, and to the workspace for which the key acts', async () => {
  const { initialize, use } = opened()
  const { id, session } = await initialize(callerOf('operator', 'team'))
  assert.equal(await use(callerOf('operator', 'team'), id), session)
  await assert.rejects(use(callerOf('operator', 'shop'), id), /belongs to another key/)
  await assert.rejects(use(callerOf('key-1', 'team'), id), /belongs to another key/)
})
