// Tests which addresses only this machine can reach.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback } from './loopback.ts'

test('every name and address of this machine is loopback', () => {
  for (const host of ['localhost', '::1', '[::1]', '127.0.0.1', '127.1.2.3'])
    assert.equal(isLoopback(host), true, host)
})

test('an address that other machines can reach is not loopback', () => {
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com', 'x127.0.0.1', '128.0.0.1', ''])
    assert.equal(isLoopback(host), false, host)
})
