// Tests requests to unknown paths, or with unknown methods.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerUnknown, rememberRoutes } from './unknown-routes.ts'

function answered(method: string, url: string) {
  let hook: (route: { method: string | string[]; url: string }) => void = () => {}
  const routes = rememberRoutes({
    addHook: (_: string, given: typeof hook) => {
      hook = given
    },
  } as never)
  hook({ method: ['GET', 'HEAD'], url: '/jobs/:jobId' })
  hook({ method: 'DELETE', url: '/jobs/:jobId' })
  hook({ method: 'GET', url: '/a.b/*' })
  const headers: Record<string, string> = {}
  let sent: unknown
  const reply: Record<string, unknown> = {}
  for (const name of ['code', 'type', 'status', 'headers']) reply[name] = () => reply
  reply.header = (name: string, value: string) => {
    headers[name] = value
    return reply
  }
  reply.send = (body: unknown) => {
    sent = body
    return reply
  }
  const request = { method, url, id: 'r', log: { error() {}, warn() {}, info() {}, debug() {} }, headers: {} }
  answerUnknown(routes, [], request as never, reply as never)
  return { allow: headers.allow, text: JSON.stringify(sent) }
}

test('the error for a known path with another method lists the methods', () => {
  const { allow, text } = answered('PUT', '/jobs/job-1?x=/y')
  assert.equal(allow, 'GET, HEAD, DELETE')
  assert.match(text, /method\.not-allowed/)
  assert.equal(answered('PUT', '/jobs/job-1/').allow, 'GET, HEAD, DELETE')
  assert.equal(answered('PUT', '/a.b/c/d').allow, 'GET')
})

test('the error for any other path says that it is unknown', () => {
  for (const url of ['/jobs', '/jobs/a/b', '/aXb/c', '/nothing']) {
    const { allow, text } = answered('GET', url)
    assert.equal(allow, undefined, url)
    assert.match(text, /route\.unknown/, url)
  }
})
