// Tests bad input to the API: the response is always JSON with a code and a request id, is never a 5xx, and comes fast.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { operatorKey, TestService } from '../../support/service.ts'

interface Case {
  id: string
  path?: string
  method?: string
  body?: string
  body_base64?: string
  content_type?: string
  headers?: Record<string, string>
  expect: number | number[]
  twice?: boolean
  why?: string
}

const { cases } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../vectors/bad-inputs/api.json'), 'utf8'),
) as { cases: Case[] }

describe('bad input', () => {
  let service: TestService
  before(async () => {
    service = await TestService.open()
  })
  after(() => service?.[Symbol.asyncDispose]())

  /** Sends the bytes directly, because `fetch` refuses some of these requests itself. */
  function send(bad: Case): Promise<{ status: number; text: string; requestId: unknown }> {
    const body = bad.body_base64 ? Buffer.from(bad.body_base64, 'base64') : Buffer.from(bad.body ?? '')
    const method = bad.method ?? 'POST'
    const { promise, resolve, reject } = Promise.withResolvers<{
      status: number
      text: string
      requestId: unknown
    }>()
    const asked = request(
      new URL(service.url),
      {
        method,
        path: (bad.path ?? '/jobs').replaceAll(' ', '%20').replaceAll("'", '%27'),
        headers: {
          authorization: `Bearer ${operatorKey}`,
          ...(body.length > 0 && {
            'content-type': bad.content_type ?? 'application/json',
            'content-length': body.length,
          }),
          ...bad.headers,
        },
        timeout: 120_000,
      },
      async response => {
        let text = ''
        for await (const chunk of response.setEncoding('utf8')) text += chunk
        resolve({ status: response.statusCode!, text, requestId: response.headers['x-request-id'] })
      },
    )
    asked.on('timeout', () => asked.destroy(new Error('no response')))
    asked.on('error', reject)
    asked.end(body)
    return promise
  }

  for (const bad of cases)
    test(`the bad request ${bad.id} gets the expected response: ${bad.why ?? (bad.body ?? bad.path ?? bad.method ?? '').slice(0, 60)}`, async () => {
      const answer = await send(bad)
      assert.ok([bad.expect].flat().includes(answer.status), `${answer.status} ${answer.text.slice(0, 300)}`)
      assert.ok(answer.requestId)
      const json = JSON.parse(answer.text) as {
        error?: { code: string; message: string; request_id: string }
      }
      assert.ok(!/\n\s+at |node_modules/.test(answer.text), 'a stack trace')
      if (answer.status >= 400) {
        assert.ok(json.error?.code && json.error.message)
        assert.equal(json.error.request_id, answer.requestId)
      }
      if (bad.twice)
        assert.equal(JSON.parse((await send(bad)).text).job_id, (json as { job_id?: string }).job_id)
    })

  test('after all bad input, no JavaScript prototype is changed, and the service works', async () => {
    assert.equal(({} as Record<string, unknown>).admin, undefined)
    assert.equal((await service.ask('/readiness')).status, 200)
  })
})
