// Serves one client of Playwright's own protocol: Playwright's server on top of a lent browser, with a filter before it.
import { createRequire } from 'node:module'
import type { StorageState } from '../../../model/policy/rendering.ts'
import { isNote, type PlaywrightMessage, readMessage, refusedMessage } from './playwright-filter.ts'

/** What we use of playwright-core, which has no types for it. The version is exact, and a test drives it. */
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
  /** The saved login: contexts of the client begin with it, unless they bring their own. */
  state: StorageState | null
  /** A folder that is removed with the browser. */
  folder: string
}

interface PlaywrightClient {
  fromClient(text: string): void
  fromBrowser(text: string): void
  close(): Promise<void>
}

export type ServePlaywright = (ends: PlaywrightEnds) => PlaywrightClient

/** Loaded with the first client: it is large. */
export function servePlaywright(ends: PlaywrightEnds): PlaywrightClient {
  const { server } = createRequire(import.meta.url)('playwright-core/lib/coreBundle') as {
    server: PlaywrightServerParts
  }
  const playwright = server.createPlaywright({ sdkLanguage: 'javascript', isServer: true })
  const transport = {
    // Not at once: Playwright registers the receiver of the response after sending.
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
    // Each message in its own task: Playwright subscribes to the events of a page when it has handled the response before them.
    fromBrowser: text => void setImmediate(() => transport.onmessage?.(JSON.parse(text))),
    fromClient: text => {
      const message = readMessage(text)
      const refuse = (why: string) => {
        // Clients fail if they get an answer to a message without an id.
        if (message !== null && message.id === undefined) return
        ends.toClient(
          JSON.stringify({ id: message?.id, error: { error: { name: 'Error', message: why, stack: '' } } }),
        )
      }
      if (message === null) return refuse('this is not a message of Playwright, or it has too many values')
      if (isNote(message)) return
      const refused = refusedMessage(message)
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

/** Stacks of Playwright's server name paths of this machine. */
function withoutStack(message: { error?: { error?: object } }): object {
  const { error } = message
  return error?.error ? { ...message, error: { ...error, error: { ...error.error, stack: '' } } } : message
}

function withState(message: PlaywrightMessage, state: StorageState | null): PlaywrightMessage {
  if (message.method !== 'newContext' || state === null || message.params?.storageState !== undefined)
    return message
  return { ...message, params: { ...message.params, storageState: state } }
}
