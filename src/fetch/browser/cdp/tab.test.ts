// Tests when a page counts as ready, if only the events of its tab are known.
import assert from 'node:assert/strict'
import test from 'node:test'
import { loadRequest } from '../../../../test/support/driven-context.ts'
import { toldTab } from '../../../../test/support/told-tab.ts'
import { rendering } from '../../../model/policy/rendering.ts'

const url = 'http://a.example/'
const never = new AbortController().signal

const turn = () => new Promise(resolve => setImmediate(resolve))

function standStill(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('a page does not count as idle because the process was suspended and missed its events', async () => {
  // Responses arrive in order with the events, as they do through a pipe.
  const still = { timers: 0, requests: [], shape: '', isEmpty: false, isLoading: false, missing: 0 }
  const inTurn = () => new Promise<object>(resolve => setImmediate(resolve, { result: { value: still } }))
  const { tab, watch, happens, asks, isAnswered, shows } = toldTab(inTurn)
  asks('1', url)
  isAnswered('1', url, 200)
  shows('1', url)
  happens('Network.loadingFinished', { requestId: '1' })
  happens('Page.domContentEventFired', {})
  happens('Page.loadEventFired', {})

  const idle = loadRequest(url, { rendering: rendering.parse({ waitFor: 'networkidle' }) })
  const settled = tab.settle(idle, never)
  // The tab has reported the loaded page and now waits until it stays quiet.
  await turn()
  // These events arrive in the next turn of the event loop, after timers that are already due.
  setImmediate(() => {
    asks('2', `${url}more`, 'Fetch')
    setTimeout(() => happens('Network.loadingFinished', { requestId: '2' }), 50)
  })
  standStill(600)

  await settled
  assert.equal(watch.network.length, 2)
  assert.equal(watch.inFlight, 0)
})
