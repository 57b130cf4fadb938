// Tests in which workspace the handler of a route queries the store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../model/access.ts'
import type { App } from '../app.ts'
import { keepWithin } from './within-workspace.ts'

interface Asked {
  scope?: string
  isForOperators?: boolean
  caller?: Partial<Caller>
}

/** The workspace that is set in the store before the handler runs. Undefined if none is set. */
function toldFor({ caller, ...config }: Asked): string | null | undefined {
  let told: string | null | undefined
  let hook: ((request: unknown, reply: unknown, done: () => void) => void) | undefined
  const app = {
    addHook: (_name: string, given: typeof hook) => {
      hook = given
    },
  } as unknown as App
  keepWithin(app, ((workspace: string | null, done: () => void) => {
    told = workspace
    done()
  }) as never)
  let isDone = false
  hook!({ routeOptions: { config }, caller }, null, () => {
    isDone = true
  })
  assert.ok(isDone, 'the handler runs')
  return told
}

const team = { keyId: 'key-1', workspace: 'team' }

test('a handler runs its queries in the workspace of its caller', () => {
  assert.equal(toldFor({ scope: 'read', caller: team }), 'team')
  assert.equal(toldFor({ scope: 'admin', caller: team }), 'team')
})

test('public and operator routes see all workspaces', () => {
  assert.equal(toldFor({ scope: 'open', caller: team }), null)
  assert.equal(toldFor({ scope: 'read', isForOperators: true, caller: team }), null)
  assert.equal(toldFor({ scope: 'read' }), null)
})

test('the operator’s own key sees all workspaces only on admin routes', () => {
  const operator = { keyId: 'operator', workspace: 'default' }
  assert.equal(toldFor({ scope: 'admin', caller: operator }), null)
  assert.equal(toldFor({ scope: 'read', caller: operator }), 'default')
  assert.equal(toldFor({ scope: 'admin', caller: { keyId: 'local-1', workspace: 'default' } }), null)
})

test('if the store has no row-level security, no workspace is set', () => {
  const app = { addHook: () => assert.fail('a hook was added') } as unknown as App
  keepWithin(app, undefined as never)
})
