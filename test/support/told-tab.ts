// A browser tab without a browser: the test sends its events.
import type { Session } from '../../src/fetch/browser/cdp/connection.ts'
import { PageWatch } from '../../src/fetch/browser/cdp/page-watch.ts'
import type { EventName, EventOf } from '../../src/fetch/browser/cdp/protocol.ts'
import { Tab } from '../../src/fetch/browser/cdp/tab.ts'

const frameId = 'main'

/** `send` answers the commands of the tab. By default it returns an empty object. */
export function toldTab(send: (method: string) => Promise<object> = async () => ({})) {
  const listeners = new Map<string, Array<(params: never) => void>>()
  const on = (name: string, listener: (params: never) => void) =>
    void listeners.set(name, [...(listeners.get(name) ?? []), listener])
  const session = { on, send } as unknown as Session
  const watch = new PageWatch(session, frameId)
  watch.begin({ maxBytes: 1_000 })
  const happens = <Name extends EventName>(name: Name, params: object): void => {
    for (const listener of listeners.get(name)!) listener(params as EventOf<Name> as never)
  }
  return {
    watch,
    tab: new Tab(frameId, session, watch),
    happens,
    asks: (id: string, url: string, type = 'Document'): void =>
      happens('Network.requestWillBeSent', {
        ...{ requestId: id, loaderId: id, frameId, type },
        request: { url, method: 'GET', headers: {} },
      }),
    isAnswered: (id: string, url: string, status: number): void =>
      happens('Network.responseReceived', {
        ...{ requestId: id, type: 'Document' },
        response: { url, status, headers: {} },
      }),
    shows: (id: string, url: string): void =>
      happens('Page.frameNavigated', { frame: { id: frameId, loaderId: id, url } }),
  }
}
