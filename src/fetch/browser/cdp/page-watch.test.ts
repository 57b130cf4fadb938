// What a tab's events add up to: which document is there, and which is only on its way.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Session } from './connection.ts'
import { PageWatch } from './page-watch.ts'
import type { EventName, EventOf } from './protocol.ts'

const frameId = 'main'

/** A tab of which only events are heard, and those when the test says so. */
function watchedTab() {
  const listeners = new Map<string, (params: never) => void>()
  const session = {
    on: (name: string, listener: (params: never) => void) => void listeners.set(name, listener),
    send: async () => ({}),
  }
  const watch = new PageWatch(session as unknown as Session, frameId)
  watch.begin({ maxBytes: 1_000 })
  const happens = <Name extends EventName>(name: Name, params: object) =>
    listeners.get(name)!(params as EventOf<Name> as never)
  const asks = (id: string, url: string) =>
    happens('Network.requestWillBeSent', {
      requestId: id,
      loaderId: id,
      frameId,
      type: 'Document',
      request: { url, method: 'GET', headers: {} },
    })
  const isAnswered = (id: string, url: string, status: number) =>
    happens('Network.responseReceived', {
      requestId: id,
      type: 'Document',
      response: { url, status, headers: {} },
    })
  const shows = (id: string, url: string) =>
    happens('Page.frameNavigated', { frame: { id: frameId, loaderId: id, url } })
  return { watch, happens, asks, isAnswered, shows }
}

test('a document that is only on its way takes nothing from the one that is shown', () => {
  const { watch, asks, isAnswered, shows } = watchedTab()
  asks('1', 'http://a.example/one')
  isAnswered('1', 'http://a.example/one', 404)
  shows('1', 'http://a.example/one')
  asks('2', 'http://a.example/two')
  assert.deepEqual([watch.shown.url, watch.shown.status], ['http://a.example/one', 404])

  isAnswered('2', 'http://a.example/two', 200)
  shows('2', 'http://a.example/two')
  assert.deepEqual([watch.shown.url, watch.shown.status], ['http://a.example/two', 200])
})

test('a document is whole when its markup has been read to the end, and again after the next one has come', () => {
  const { watch, happens, asks, isAnswered, shows } = watchedTab()
  assert.equal(watch.isWhole, true, 'nothing has come')
  for (const id of ['1', '2']) {
    asks(id, 'http://a.example/')
    isAnswered(id, 'http://a.example/', 200)
    shows(id, 'http://a.example/')
    assert.equal(watch.isWhole, false)
    happens('Page.domContentEventFired', {})
    assert.equal(watch.isWhole, true)
  }
})
