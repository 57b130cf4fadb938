// Serves one client of Playwright's own protocol. Playwright's server controls a lent browser, and a filter checks the
// client's messages first.
import { createRequire } from 'node:module'
import type { StorageState } from '../../../model/policy/rendering.ts'
import type { ClientConsents } from './client-consents.ts'
import { isNote, type PlaywrightMessage, readMessage, refusedMessage } from './playwright-filter.ts'

/** The internals of playwright-core that we use; the package has no types for them. Its version is pinned, and a test
 *  covers them. */
interface PlaywrightServerParts {
  createPlaywright(options: { sdkLanguage: string; isServer: boolean }): {
    chromium: { connectOverCDP(progress: unknown, params: object): Promise<PlaywrightBrowser> }
  }
  nullProgress: unknown
  DispatcherConnection: new () => {
    onmessage: (message: object) => void
    dispatch(message: object): Promise<void>
  }
  RootDispatcher: new (
    connection: object,
    create: (scope: object, params: { sdkLanguage: string }) => Promise<object>,
  ) => { stopPendingOperations(error: Error): Promise<void>; _dispose(): void }
  PlaywrightDispatcher: new (
    scope: object,
    playwright: object,
    options: object,
  ) => { cleanup(): Promise<void> }
}

interface PlaywrightBrowser {
  options: { sdkLanguage?: string }
}

interface PlaywrightEnds {
  toClient: (text: string) => void
  toBrowser: (text: string) => void
  /** The saved login. Contexts of the client start with it, unless they set their own state. */
  state: StorageState | null
  /** Temporary folder, removed together with the browser. */
  folder: string
  consents: ClientConsents
}

interface PlaywrightClient {
  fromClient(text: string): void
  fromBrowser(text: string): void
  close(): Promise<void>
}

export type ServePlaywright = (ends: PlaywrightEnds) => PlaywrightClient

/** Loads playwright-core for the first client only, because the package is large. */
export function servePlaywright(ends: PlaywrightEnds): PlaywrightClient {
  const { server } = createRequire(import.meta.url)('playwright-core/lib/coreBundle') as {
    server: PlaywrightServerParts
  }
  const playwright = server.createPlaywright({ sdkLanguage: 'javascript', isServer: true })
  const transport = {
    // Send in a microtask: Playwright registers the handler of the response only after `send` returns.
    send: (message: object) => queueMicrotask(() => ends.toBrowser(JSON.stringify(message))),
    close: () => {},
    onmessage: undefined as ((message: object) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
  }
  let dispatcher: { cleanup(): Promise<void> } | null = null
  const connection = new server.DispatcherConnection()
  connection.onmessage = message => ends.toClient(JSON.stringify(withoutStack(message)))
  const root = new server.RootDispatcher(connection, async (scope, { sdkLanguage }) => {
    const artifactsDir = ends.folder
    const browser = await playwright.chromium.connectOverCDP(server.nullProgress, { transport, artifactsDir })
    browser.options.sdkLanguage = sdkLanguage
    dispatcher = new server.PlaywrightDispatcher(scope, playwright, {
      preLaunchedBrowser: browser,
      denyLaunch: true,
    })
    return dispatcher
  })
  return {
    // Deliver each message in its own task: Playwright subscribes to the events of a page only after it has handled the
    // response that precedes these events.
    fromBrowser: text => void setImmediate(() => transport.onmessage?.(JSON.parse(text))),
    fromClient: text => {
      const message = readMessage(text)
      const refuse = (why: string) => {
        // Clients fail if they receive a response to a message without an id.
        if (message !== null && message.id === undefined) return
        ends.toClient(
          JSON.stringify({ id: message?.id, error: { error: { name: 'Error', message: why, stack: '' } } }),
        )
      }
      if (message === null)
        return refuse('the message is not a valid Playwright message, or it has too many values')
      if (isNote(message)) return
      const refused = refusedMessage(message, ends.consents)
      if (refused !== null) return refuse(refused)
      connection.dispatch(withState(message, ends.state)).catch((error: Error) => refuse(error.message))
    },
    close: async () => {
      await root.stopPendingOperations(new Error('the connection is closed')).catch(() => {})
      root._dispose()
      await dispatcher?.cleanup().catch(() => {})
      transport.onclose?.()
    },
  }
}

/** Removes stack traces, because those of Playwright's server contain paths of this machine. */
function withoutStack(message: { error?: { error?: object } }): object {
  const { error } = message
  return error?.error ? { ...message, error: { ...error, error: { ...error.error, stack: '' } } } : message
}

function withState(message: PlaywrightMessage, state: StorageState | null): PlaywrightMessage {
  if (message.method !== 'newContext' || state === null || message.params?.storageState !== undefined)
    return message
  return { ...message, params: { ...message.params, storageState: state } }
}
