// The action of kscrape mcp: passes messages between stdio and a service. Without --server it starts its own service.
import { setTimeout as sleep } from 'node:timers/promises'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { loadSettings } from '../../config/load.ts'
import { newApiKey } from '../../lib/secrets/api-keys.ts'
import { Failure } from '../../model/failures.ts'
import { openService } from '../../roles/service/service.ts'
import { openServiceLog } from '../service-process.ts'

interface McpFlags {
  server?: string
  apiKey?: string
  dataDir?: string
  allowPrivate?: string[]
}

export async function mcp(flags: McpFlags): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const { server, apiKey } = await serviceFor(flags, opened)
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  const there = new StreamableHTTPClientTransport(new URL('/mcp', server), { requestInit: { headers } })
  await carry(new StdioServerTransport(), there)
}

interface Place {
  server: string
  apiKey: string | undefined
}

async function serviceFor(flags: McpFlags, opened: AsyncDisposableStack): Promise<Place> {
  const { dataDir, allowPrivate, server: named } = flags
  const loaded = await loadSettings({ dataDir, allowPrivate })
  const server = named ?? (dataDir === undefined ? loaded.settings.server : undefined)
  if (server === undefined) return ownService(loaded, opened)
  if (dataDir !== undefined || allowPrivate !== undefined)
    throw new Failure(
      'input.invalid',
      '--data-dir and --allow-private apply to a service that this command starts; leave out --server',
    )
  return { server, apiKey: flags.apiKey ?? loaded.settings.apiKey ?? loaded.settings.serviceKey }
}

/** Starts a private service for the lifetime of this process, with a random port and key. It logs to stderr, because stdout
 *  carries the protocol. */
async function ownService(
  loaded: Awaited<ReturnType<typeof loadSettings>>,
  opened: AsyncDisposableStack,
): Promise<Place> {
  const apiKey = newApiKey()
  const settings = { ...loaded.settings, host: '127.0.0.1', port: 0, apiKey, logLevel: 'warn' }
  const log = openServiceLog(settings, { json: true }, line => void process.stderr.write(line))
  const service = opened.use(await openService({ ...loaded, settings }, { log, command: 'mcp' }))
  return { server: service.url, apiKey }
}

/** Delays of retries while the service is busy, for example right after its start. */
const busyWaitsMs = [200, 500, 1_000, 2_000, 5_000, 10_000, 10_000]

async function handOver(there: StreamableHTTPClientTransport, message: JSONRPCMessage): Promise<void> {
  for (const waitMs of busyWaitsMs)
    try {
      return await there.send(message)
    } catch (error) {
      if ((error as { code?: number }).code !== 503) throw error
      await sleep(waitMs)
    }
  await there.send(message)
}

/** Answers a request of the client with the error. The connection stays open. */
async function answerFor(here: StdioServerTransport, message: JSONRPCMessage, error: Error): Promise<void> {
  if (!('id' in message && 'method' in message)) return
  await here.send({ jsonrpc: '2.0', id: message.id, error: { code: -32_000, message: error.message } })
}

/** Passes messages in both directions until one side ends. */
async function carry(here: StdioServerTransport, there: StreamableHTTPClientTransport): Promise<void> {
  const { promise: ended, resolve: end, reject } = Promise.withResolvers<void>()
  here.onmessage = message =>
    void handOver(there, message).catch(error => answerFor(here, message, error).catch(reject))
  there.onmessage = message => {
    const { protocolVersion } = ('result' in message ? message.result : {}) as { protocolVersion?: string }
    if (protocolVersion !== undefined) there.setProtocolVersion(protocolVersion)
    void here.send(message)
  }
  here.onclose = end
  there.onclose = end
  // Listens to stdin itself, because the stdio transport does not report the end of its input.
  process.stdin.once('end', end)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end())
  await there.start()
  await here.start()
  await ended
  await there.terminateSession().catch(() => {})
  await Promise.allSettled([here.close(), there.close()])
}
