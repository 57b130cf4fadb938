// Tests credentials that several tasks request from the backend at the same time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../lib/clocks.ts'
import { Failure } from '../../model/failures.ts'
import type { Page } from '../../model/page/page.ts'
import { openBackendCredentials } from './credentials.ts'

const never = new AbortController().signal

/** A fake backend. It answers when the test releases it. If the signal of the calling task is aborted, the request fails. */
function heldBackend() {
  const released = Promise.withResolvers<Page>()
  let requests = 0
  const credentials = openBackendCredentials({
    ...{ clock: new FakeClock(), ttlMs: 1_000, url: 'https://backend.example', serviceKey: 'the-key' },
    fetch: async (_request, signal) => {
      requests++
      const aborted = new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Failure('worker.stopping', 'cancelled'))),
      )
      return Promise.race([released.promise, aborted])
    },
  })
  const body = Buffer.from(JSON.stringify({ password: 'secret' }))
  const release = () => released.resolve({ status: 200, body } as Page)
  return { credentials, release, requests: () => requests }
}

test('tasks that need the same credential at the same time share one request', async () => {
  const { credentials, release, requests } = heldBackend()
  const asked = [1, 2, 3].map(() => credentials.get('w', 'p', never))
  release()
  assert.deepEqual(await Promise.all(asked), Array(3).fill({ password: 'secret' }))
  assert.equal(requests(), 1)
})

test('if the task that sent the request is cancelled, the waiting tasks still get their credential', async () => {
  const { credentials, release, requests } = heldBackend()
  const cancelled = new AbortController()
  const first = credentials.get('w', 'p', cancelled.signal)
  const waiting = [credentials.get('w', 'p', never), credentials.get('w', 'p', never)]
  cancelled.abort()
  await assert.rejects(first, { code: 'worker.stopping' })
  release()
  assert.deepEqual(await Promise.all(waiting), Array(2).fill({ password: 'secret' }))
  assert.equal(requests(), 2)
})
