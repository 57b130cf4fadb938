// The WebSocket that follows a batch or crawl. The sub-protocol is the caller's key.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { offAbort, onAbort } from '../../../lib/abort-handlers.ts'
import type { Caller } from '../../../model/access.ts'
import { asFailure, type Failure } from '../../../model/failures.ts'
import { hasEnded } from '../../../model/job.ts'
import type { App } from '../../app.ts'
import type { GuardedServer, Server } from '../../parts.ts'
import { documentOf } from './document.ts'
import { type FoundJob, theirJob } from './routes.ts'
import type { Version } from './schemas.ts'
import { documentPage, mostDocuments, recordsAfter, shownStatus } from './status.ts'

const longestMessage = 65_536
/** Events of other processes can get lost, so the job is also polled. */
const lookEveryMs = 5_000
const codes = { done: 1_000, unknown: 1_008, internal: 1_011, unauthorized: 3_000, forbidden: 3_003 } as const

const address = /^\/v([12])\/(?:crawl|batch\/scrape)\/([\w.-]+)\/?(?:\?.*)?$/

/** Whether the request asks for this WebSocket. Other upgrade requests are ignored. */
export const isWatcher = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && address.test(url ?? '')

/** One WebSocket server for both API versions, because only one can handle upgrade requests. */
export function addWatching(app: App, server: GuardedServer): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: longestMessage,
    // Confirms the sub-protocol that the client sent, which is its key. The client accepts no other.
    handleProtocols: protocols => [...protocols][0] ?? false,
  })
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isWatcher(request)) return
    const [, version, id = ''] = address.exec(request.url ?? '') ?? []
    const asked = { id, version: Number(version) as Version }
    sockets.handleUpgrade(request, socket, head, client => void watch(server, client, request, asked))
  }
  app.server.on('upgrade', onUpgrade)
  // Closes the sockets first, because Fastify waits for open connections.
  app.addHook('preClose', async () => {
    app.server.off('upgrade', onUpgrade)
    for (const client of sockets.clients) client.terminate()
  })
}

async function watch(
  server: GuardedServer,
  client: WebSocket,
  request: IncomingMessage,
  { id, version }: { id: string; version: Version },
): Promise<void> {
  client.on('error', () => client.terminate())
  try {
    const caller = await callerOf(server, request)
    const revoked = () =>
      client.close(codes.unauthorized, reasonOf({ type: 'error', error: 'the key was revoked' }))
    client.once('close', server.open.keep(caller, revoked))
    await follow(server, client, await theirJob(server, caller, id), caller, version)
  } catch (error) {
    const failure = asFailure(error)
    if (failure.code === 'internal.bug') server.parts.log.error({ err: error }, 'a watcher failed')
    const message = { type: 'error', error: wordsOf(failure) }
    // Version 1 clients also read the close reason, so they would see this message twice.
    if (version === 2) client.send(JSON.stringify(message))
    client.close(codeOf(failure), reasonOf(message))
  }
}

/** The key is the WebSocket sub-protocol. Clients that can set headers may send it as a bearer token. */
export function callerOf({ admit }: GuardedServer, { headers }: IncomingMessage): Promise<Caller> {
  const named = headers['sec-websocket-protocol']?.split(',')[0]?.trim()
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  return admit(named || bearer || null, 'read')
}

export const wordsOf = ({ code, message }: Failure): string =>
  code === 'job.unknown' ? 'Job not found' : code === 'internal.bug' ? 'internal error' : message

export function codeOf({ code }: Failure): number {
  if (code === 'job.unknown') return codes.unknown
  if (code === 'request.unauthorized') return codes.unauthorized
  return code === 'request.forbidden' ? codes.forbidden : codes.internal
}

/** A close reason holds at most 123 bytes. */
export function reasonOf(message: { type: string; error: string }): string {
  let text = JSON.stringify(message)
  for (let length = 80; Buffer.byteLength(text) > 123; length -= 10)
    text = JSON.stringify({ ...message, error: `${message.error.slice(0, length)}…` })
  return text
}

async function follow(
  server: Server,
  client: WebSocket,
  found: FoundJob,
  caller: Caller,
  version: Version,
): Promise<void> {
  const { parts } = server
  const { id } = found.job
  using updates = updatesOf(server, client, id)
  let after = await catchUp(server, client, found)
  for (;;) {
    // Read the job before the records. If the job ended first, the records are complete. Otherwise another round follows.
    const { job, kept } = await theirJob(server, caller, id)
    for await (const record of recordsAfter(parts, id, after)) {
      after = record.seq
      if (client.readyState !== client.OPEN) return
      await tell(client, { type: 'document', data: await documentOf(parts, job, kept, record) })
    }
    if (hasEnded(job.state)) return finish(server, client, { job, kept }, version)
    if (!(await updates.next())) return
  }
}

/** Sends the existing documents in one message if they fit into one page and the job runs. Otherwise sends none and
 *  returns 0, because a client would take the first page for all documents. The caller of this function then sends each
 *  document. */
async function catchUp(server: Server, client: WebSocket, { job, kept }: FoundJob): Promise<number> {
  const { parts } = server
  const counts = await parts.store.jobs.counts(job.id)
  const page = await documentPage(parts, { job, kept }, { skip: 0, after: 0 }, mostDocuments)
  const isAll = page.next === null && !hasEnded(job.state)
  const { success: _success, ...status } = shownStatus(server, job, counts)
  // The status is `scraping` even if the job has ended, because the documents must arrive before the end.
  await tell(client, {
    type: 'catchup',
    data: { ...status, status: 'scraping', data: isAll ? page.data : [] },
  })
  if (!isAll) return 0
  let last = 0
  let count = 0
  for await (const record of recordsAfter(parts, job.id, 0)) {
    if (count === page.data.length) break
    last = record.seq
    count += 1
  }
  return last
}

/**
 * In version 2 of the API, the last message is a `status` with all documents, if they fit into one message. A `done`
 * message would lose documents: the SDK 3.x ignores documents in it. The SDKs 3.x and 4.x treat a `status` of an ended
 * job as `done`. If the documents do not fit, the SDK requests the status when the socket closes. In version 1 of the
 * API, there is no last message: the SDK reads the close reason, and would see the end twice.
 */
async function finish(server: Server, client: WebSocket, found: FoundJob, version: Version): Promise<void> {
  const { parts } = server
  const counts = await parts.store.jobs.counts(found.job.id)
  const page = await documentPage(parts, found, { skip: 0, after: 0 }, mostDocuments)
  const { success: _success, ...status } = shownStatus(server, found.job, counts)
  if (version === 2 && page.next === null)
    await tell(client, { type: 'status', data: { ...status, next: null, data: page.data } })
  client.close(codes.done, JSON.stringify({ type: 'done' }))
}

function tell(client: WebSocket, message: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    // Resolves when the message is sent, so a slow reader slows the loop down.
    client.send(JSON.stringify(message), error => (error ? reject(error) : resolve()))
  })
}

/** Resolves true when the job has changed, false when the client has disconnected. */
function updatesOf({ parts }: Server, client: WebSocket, jobId: string) {
  let isNews = false
  // If the client disconnected during the lookups, no close event follows.
  let isOver = client.readyState !== client.OPEN
  let wake = () => {}
  const onUpdate = () => {
    isNews = true
    wake()
  }
  const unsubscribe = parts.engine.listen((name, event) => {
    const isOfJob = (event as { jobId?: string }).jobId === jobId
    if (isOfJob && (name === 'task.settled' || name === 'job.moved')) onUpdate()
  })
  const timer = setInterval(onUpdate, lookEveryMs).unref()
  const onEnd = () => {
    isOver = true
    wake()
  }
  const onStop = () => client.close(1_012, 'the service is stopping')
  client.once('close', onEnd)
  onAbort(parts.stopping, onStop)
  return {
    async next(): Promise<boolean> {
      while (!isNews && !isOver)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      isNews = false
      return !isOver
    },
    [Symbol.dispose]() {
      unsubscribe()
      clearInterval(timer)
      offAbort(parts.stopping, onStop)
    },
  }
}
