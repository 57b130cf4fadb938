// Tests that headers are in the order in which Chromium sends them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder } from './header-order.ts'

test('known headers are sent in Chromium’s order and letter case, other headers before Accept-Language', () => {
  const headers = {
    ...{ 'accept-language': 'en', accept: '*/*', 'x-mine': '1', 'user-agent': 'Mozilla/5.0' },
    ...{ 'sec-ch-ua-platform': '"Linux"', 'upgrade-insecure-requests': '1', 'sec-ch-ua': '"Chromium"' },
  }
  assert.deepEqual(
    inOrder(headers).map(({ name }) => name),
    [
      ...['sec-ch-ua', 'sec-ch-ua-platform', 'Upgrade-Insecure-Requests', 'User-Agent', 'Accept'],
      ...['x-mine', 'Accept-Language'],
    ],
  )
})
