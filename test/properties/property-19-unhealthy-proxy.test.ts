// Property 19: a proxy that failed is unhealthy and excluded until a check succeeds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bookOf, doubtful, host, ofProxy, t0 } from './proxies.ts'

const chosenIn = (book: ReturnType<typeof bookOf>['book'], turns: number): Set<string> =>
  new Set(
    Array.from({ length: turns }, () => {
      const choice = book.choose({ host, at: t0, rotation: 'round-robin', restMs: 0 })
      return choice !== 'none' && 'proxy' in choice ? choice.proxy.name : 'none'
    }),
  )

test('Property 19: a proxy at fault is excluded at once, and returns after a successful check', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.nat(), (count, pick) => {
      const { book, names } = bookOf(count)
      const name = names[pick % count]!
      book.failed(name, host, ofProxy, t0)
      assert.equal(book.isHealthy(name), false)
      assert.ok(!chosenIn(book, count * 2).has(name))
      assert.deepEqual(
        book.unwell.map(({ endpoint }) => endpoint.name),
        [name],
      )
      book.checked(name, { trouble: 'proxy.failed', isDoubtful: false }, t0 + 60_000)
      assert.ok(!chosenIn(book, count * 2).has(name))
      book.checked(name, { trouble: null, isDoubtful: false }, t0 + 120_000)
      assert.ok(chosenIn(book, count * 2).has(name))
    }),
  )
})

test('Property 19: one failing host makes no proxy unhealthy; three failures at several hosts do', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), times => {
      const { book, names } = bookOf(2)
      for (let turn = 0; turn < times; turn++) book.failed(names[0]!, 'ill.example', doubtful, t0)
      assert.equal(book.isHealthy(names[0]!), true)
      for (const other of ['a.example', 'b.example', 'c.example']) book.failed(names[0]!, other, doubtful, t0)
      assert.equal(book.isHealthy(names[0]!), false)
    }),
  )
})

test('Property 19: if a host answers another proxy while a request is in flight, the proxy of the request is at fault', () => {
  const { book, names } = bookOf(2)
  book.succeeded(names[1]!, host, t0 + 1)
  assert.equal(book.failed(names[0]!, host, doubtful, t0 + 5, { startedAt: t0 + 2 }), false)
  book.succeeded(names[0]!, host, t0 + 6)
  book.succeeded(names[1]!, host, t0 + 8)
  assert.equal(book.failed(names[0]!, host, doubtful, t0 + 9, { startedAt: t0 + 7 }), true)
  for (const at of [9, 9]) book.failed(names[0]!, host, doubtful, t0 + at, { startedAt: t0 + 7 })
  assert.equal(book.isHealthy(names[0]!), false)
})

test('Property 19: if a host answers other proxies, the silent proxy is at fault', () => {
  const { book, names } = bookOf(2)
  book.failed(names[0]!, host, doubtful, t0)
  book.succeeded(names[1]!, host, t0 + 1)
  book.failed(names[0]!, host, doubtful, t0 + 2)
  assert.equal(book.isHealthy(names[0]!), true)
  book.failed(names[0]!, host, doubtful, t0 + 3)
  assert.equal(book.isHealthy(names[0]!), false)
})
