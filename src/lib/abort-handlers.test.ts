// Tests handlers of long-lived signals.
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { offAbort, onAbort } from './abort-handlers.ts'

test('when a signal aborts, each of its handlers is called once', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const called: string[] = []
  onAbort(one.signal, () => called.push('first'))
  onAbort(one.signal, () => called.push('second'))
  onAbort(other.signal, () => called.push('other'))
  one.abort()
  one.abort()
  assert.deepEqual(called.sort(), ['first', 'second'])
})

test('a handler that was removed is not called, not even if another handler removes it', () => {
  const controller = new AbortController()
  const { signal } = controller
  const called: string[] = []
  const later = () => void called.push('later')
  const before = () => void called.push('before')
  onAbort(signal, before)
  offAbort(signal, before)
  onAbort(signal, later)
  onAbort(signal, () => offAbort(signal, later))
  controller.abort()
  assert.deepEqual(called, [])
})

test('a signal has one listener, however many handlers it has', () => {
  const { signal } = new AbortController()
  for (let count = 0; count < 100; count++) onAbort(signal, () => {})
  assert.equal(getEventListeners(signal, 'abort').length, 1)
})
