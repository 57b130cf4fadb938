// Tests how paths are routed to their handlers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Route, routeTable } from './route.ts'

const named = (path: string): Route => ({ path, answer: () => ({ body: path }) })
const find = routeTable([
  named('/a/:name'),
  named('/a/fixed'),
  named('/a/:name/b/:other'),
  named('/rest/*'),
  named('/a.b'),
])
const found = (path: string) => {
  const route = find(path)
  return route && [(route.answer as () => unknown)(), route.params]
}

test('a fixed path wins over one with parameters, wherever it is in the table', () => {
  assert.deepEqual(found('/a/fixed'), [{ body: '/a/fixed' }, []])
  assert.deepEqual(found('/a/other'), [{ body: '/a/:name' }, ['other']])
})

test('each parameter matches one path segment and is decoded; a star matches the rest of the path', () => {
  assert.deepEqual(found('/a/x%20y/b/%zz'), [{ body: '/a/:name/b/:other' }, ['x y', '%zz']])
  assert.deepEqual(found('/rest/of/it'), [{ body: '/rest/*' }, ['of/it']])
})

test('a path without a matching row is not found', () => {
  assert.equal(found('/a/'), undefined)
  assert.equal(found('/a/b/c'), undefined)
  assert.equal(found('/axb'), undefined)
})
