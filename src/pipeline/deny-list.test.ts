// The do-not-crawl list: which hosts an entry stands for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDenied } from './deny-list.ts'

test('a name stands for itself, on every port', () => {
  const denied = ['example.com']
  assert.deepEqual(
    ['example.com', 'example.com:8080', 'www.example.com', 'notexample.com'].map(host =>
      isDenied(host, denied),
    ),
    [true, true, false, false],
  )
})

test('a leading star takes the subdomains too, and nothing that merely ends alike', () => {
  const denied = ['*.example.com']
  assert.deepEqual(
    ['example.com', 'a.b.example.com', 'badexample.com'].map(host => isDenied(host, denied)),
    [true, true, false],
  )
})

test('with a port it stands for that port alone', () => {
  const denied = ['example.com:8080']
  assert.deepEqual(
    ['example.com:8080', 'example.com'].map(host => isDenied(host, denied)),
    [true, false],
  )
})

test('capital letters and a dot at the end change nothing', () => {
  assert.equal(isDenied('example.com', ['Example.COM']), true)
  assert.equal(isDenied('example.com.', ['example.com']), true)
  assert.equal(isDenied('www.example.com', ['*.Example.com.']), true)
})

test('without a list nothing is denied', () => {
  assert.equal(isDenied('example.com', []), false)
})
