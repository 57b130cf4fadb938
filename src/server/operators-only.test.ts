// Tests that routes about all workspaces need a key of the operator's own workspace.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { App } from './app.ts'
import { isOperator, keepToOperators } from './operators-only.ts'

type Hook = (request: unknown, reply: unknown, done: (error?: Error) => void) => void
interface Route {
  config: { scope: string; isForOperators?: boolean }
  onRequest?: Hook | Hook[]
}

function registered(route: Route): Route {
  const app = { addHook: (_name: string, hook: (route: Route) => void) => hook(route) } as unknown as App
  keepToOperators(app)
  return route
}

test('every route except the public ones is marked as operators-only, and the check runs after the route’s own guard', () => {
  const guard: Hook = () => {}
  const route = registered({ config: { scope: 'read' }, onRequest: guard })
  assert.deepEqual(route.config, { scope: 'read', isForOperators: true })
  assert.equal((route.onRequest as Hook[]).length, 2)
  assert.equal((route.onRequest as Hook[])[0], guard)
  assert.equal((registered({ config: { scope: 'read' } }).onRequest as Hook[]).length, 1)
  assert.deepEqual(registered({ config: { scope: 'open' } }), { config: { scope: 'open' } })
})

test('the error for a key of another workspace names both workspaces', () => {
  const [refuse] = registered({ config: { scope: 'read' } }).onRequest as Hook[]
  const answerTo = (workspace: string) => {
    let said: Error | undefined
    refuse!({ caller: { workspace }, routeOptions: { url: '/hosts' } }, null, error => {
      said = error
    })
    return said
  }
  assert.equal(answerTo('default'), undefined)
  assert.match(answerTo('team')!.message, /\/hosts.*"default".*"team"/)
})

test('the operator’s key and local keys count as keys of the operator, other keys do not', () => {
  const known = ['operator', 'local-1', 'key-1'].map(keyId => isOperator({ keyId } as never))
  assert.deepEqual(known, [true, true, false])
})
