// MCP sessions of this process. A session is restored from its id if another process opened it, or if this process restarted.
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { RecentMap } from '../../../lib/collections/recent-map.ts'
import { loadFor } from '../../../lib/optional-packages.ts'
import type { Caller } from '../../../model/access.ts'
import { Failure } from '../../../model/failures.ts'
import type { GuardedServer } from '../../parts.ts'
import { type ClientAbilities, newSessionId, readSessionId } from './session-ids.ts'

/** Sessions that are unused for this time are closed. The next request of such a session opens it again. */
const idleMs = 1_800_000
const usualLimits = { all: 1_000, ofOneKey: 100 }
/** Number of ended session ids that are remembered, so that an ended session is not restored. */
const endedSessions = 10_000

export interface Session {
  transport: Transport
  /** Key and workspace, because a key may act for several workspaces. */
  owner: string
  usedAt: number
  /** Number of calls whose response is not sent yet. */
  calls: number
  close: () => Promise<void>
}

/** Creates the MCP server of a session. `gone` is aborted when the session ends. */
type MakeServer = (caller: Caller, gone: AbortSignal) => Promise<McpServer>

interface SessionRequest {
  caller: Caller
  sessionId: string | undefined
  protocolVersion: string | undefined
  body: unknown
}

export class Sessions {
  readonly #server: GuardedServer
  readonly #makeServer: MakeServer
  readonly #open = new Map<string, Session>()
  readonly #ended = new RecentMap<string, true>(endedSessions)
  readonly #limits: typeof usualLimits
  #isClosing = false

  constructor(server: GuardedServer, makeServer: MakeServer, limits = usualLimits) {
    this.#server = server
    this.#makeServer = makeServer
    this.#limits = limits
  }

  /** Finds the session of a request. A request without a session id starts a new session. */
  async of(request: SessionRequest): Promise<Session> {
    this.#closeIdle()
    const { caller, sessionId: id, protocolVersion } = request
    if (id === undefined) return this.#openNew(caller, abilitiesIn(request.body))
    const known = this.#open.get(id)
    if (known?.owner === ownerOf(caller)) {
      known.usedAt = this.#now()
      return known
    }
    const abilities = this.#ended.get(id) ? null : readSessionId(this.#secret, ownerOf(caller), id)
    if (abilities === null)
      throw new Failure(
        'route.unknown',
        'this MCP session has ended or belongs to another key; initialize a new one',
      )
    return this.#continue(caller, id, abilities, protocolVersion ?? '2025-06-18')
  }

  /** Called when the client ends its session. This process does not restore the session later. */
  end(id: string): void {
    this.#ended.set(id, true)
  }

  get #secret(): Uint8Array {
    return this.#server.parts.uploadKey
  }

  #now = (): number => this.#server.parts.clock.now()

  #openNew(caller: Caller, abilities: ClientAbilities): Promise<Session> {
    return this.#start(caller, newSessionId(this.#secret, ownerOf(caller), abilities))
  }

  /** Repeats the client's handshake, so that server and transport have the same state as before. */
  async #continue(
    caller: Caller,
    id: string,
    abilities: ClientAbilities,
    protocolVersion: string,
  ): Promise<Session> {
    const session = await this.#start(caller, id)
    const capabilities = abilities.elicits ? { elicitation: {} } : {}
    const clientInfo = { name: 'continued', version: '1' }
    const params = { protocolVersion, capabilities, clientInfo }
    await deliver(session.transport, { jsonrpc: '2.0', id: 'continue', method: 'initialize', params })
    const headers = { 'mcp-session-id': id, 'mcp-protocol-version': protocolVersion }
    await deliver(session.transport, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
    return session
  }

  async #start(caller: Caller, id: string): Promise<Session> {
    const own = [...this.#open.values()].filter(({ owner }) => owner === ownerOf(caller))
    await this.#makeRoom(own, this.#limits.ofOneKey)
    await this.#makeRoom([...this.#open.values()], this.#limits.all)
    const { WebStandardStreamableHTTPServerTransport } = await loadFor(
      'mcp',
      () => import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    )
    let forget = () => {}
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => {
        this.#open.set(id, session)
        forget = this.#server.open.keep(caller, () => void session.close())
      },
      onsessionclosed: closed => this.end(closed),
    })
    const gone = new AbortController()
    const mcp = await this.#makeServer(caller, gone.signal)
    const close = async () => {
      gone.abort()
      await mcp.close()
    }
    const session: Session = { transport, owner: ownerOf(caller), usedAt: this.#now(), calls: 0, close }
    transport.onclose = () => {
      gone.abort()
      forget()
      this.#open.delete(id)
    }
    await mcp.connect(transport as Parameters<McpServer['connect']>[0])
    return session
  }

  /** Closes the idle session that was unused for the longest time. Its client can restore it. */
  async #makeRoom(sessions: Session[], most: number): Promise<void> {
    if (sessions.length < most) return
    const [oldest] = sessions.filter(({ calls }) => calls === 0).sort((a, b) => a.usedAt - b.usedAt)
    if (!oldest)
      throw new Failure(
        'server.busy',
        `${most} MCP sessions are in use, and this is the limit; try again later`,
      )
    await oldest.close()
  }

  #closeIdle(): void {
    const before = this.#now() - idleMs
    for (const session of this.#open.values()) if (session.usedAt < before) void session.close()
  }

  /** Counts a call. Call the returned function after the response was sent. */
  begin(session: Session): () => void {
    session.calls += 1
    return () => {
      session.calls -= 1
      if (this.#isClosing && session.calls === 0) void session.close()
    }
  }

  /** Closes idle sessions at once. A session with a call in flight is closed after the response. */
  async closeAll(): Promise<void> {
    this.#isClosing = true
    const idle = [...this.#open.values()].filter(({ calls }) => calls === 0)
    await Promise.all(idle.map(({ close }) => close()))
  }
}

const ownerOf = ({ keyId, workspace }: Caller): string => `${keyId} in ${workspace}`

function abilitiesIn(body: unknown): ClientAbilities {
  const { params } = (body ?? {}) as { params?: { capabilities?: { elicitation?: unknown } } }
  return { elicits: params?.capabilities?.elicitation !== undefined }
}

async function deliver(transport: Transport, body: object, more: Record<string, string> = {}): Promise<void> {
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...more,
  }
  const request = new Request('http://mcp.internal/mcp', { method: 'POST', headers })
  const response = await transport.handleRequest(request, { parsedBody: body })
  const text = await response.text()
  if (!response.ok) throw new Failure('route.unknown', `the MCP session cannot be continued: ${text}`)
}
