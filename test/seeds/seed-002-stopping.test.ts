// Seed 002 (an earlier specification): tests that new calls are refused at once while the service drains, and that waiting calls
// get their response.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { found } from '../support/eventually.ts'
import { ScrapeApi, type ShownTask } from '../support/scrape-api.ts'
import { operatorKey } from '../support/service.ts'

interface Answer {
  status: number
  retryAfter: string | undefined
  body: { success: boolean; error: { code: string } | null }
}

/** A request whose headers have arrived, but whose body has not. */
async function halfSent(url: string) {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const headers = {
    'content-type': 'application/json',
    'x-service-key': operatorKey,
    expect: '100-continue',
  }
  const sent = request(url, { method: 'POST', headers }, async response => {
    const chunks = await Array.fromAsync(response)
    resolve({
      status: response.statusCode ?? 0,
      retryAfter: response.headers['retry-after'],
      body: JSON.parse(Buffer.concat(chunks as Buffer[]).toString()),
    })
  })
  sent.on('error', reject)
  sent.flushHeaders()
  await once(sent, 'continue')
  return {
    complete(body: object): Promise<Answer> {
      sent.end(JSON.stringify(body))
      return promise
    },
  }
}

const isRunning = async (api: ScrapeApi, face: string) => {
  const { body } = await api.service.ask<{ jobs: Array<{ status: string }> }>(`/jobs?face=${face}`)
  return body.jobs.some(({ status }) => status === 'running')
}

test('a call that arrives while the service stops gets 503 with Retry-After at once, while an earlier call still finishes', async () => {
  await using api = await ScrapeApi.open({ settings: { graceMs: 30_000 } })
  using hold = api.site.hold('/held')
  api.site.serve('/held', '<title>Held</title><h1>Held</h1>')
  const target = { url: `${api.site.url}/held`, target_type: 'page' }
  const held = api.ask<ShownTask>('/sync', { body: target })
  await hold.arrived()
  const call = await halfSent(`${api.service.url}/api/v1/scrape/sync`)
  api.service.service.stop()
  const late = await call.complete(target)
  assert.deepEqual(
    [late.status, late.body.success, late.body.error?.code],
    [503, false, 'WorkerStoppingError'],
  )
  assert.equal(late.retryAfter, '30')
  hold.release()
  assert.equal((await held).status, 200)
})

test('if a service stops while a Firecrawl map is waiting, the map still gets its links', async () => {
  await using api = await ScrapeApi.open({ settings: { graceMs: 30_000 } })
  using hold = api.site.hold('/')
  const asked = api.service.ask<{ success: boolean; links: unknown[] }>('/v2/map', {
    body: { url: `${api.site.url}/` },
  })
  await found('a running map', async () => (await isRunning(api, 'firecrawl')) || undefined)
  await hold.arrived()
  api.service.service.stop()
  hold.release()
  const { status, body, text } = await asked
  assert.equal(status, 200, text)
  assert.ok(body.links.length > 1)
})
