// Tests which hosts can be erased, and the receipt that is printed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErasureReceipt } from '../../model/api/operations.ts'
import { hostOf, linesOf } from './erase.ts'

const counts = {
  ...{ jobs: 1, tasks: 22, records: 333, pages: 4, files: 5, exports: 6, robots: 7, hosts: 8 },
  ...{ cookies: 9, webhooks: 10, rejected: 11, modelAnswers: 12 },
}
const receipt: ErasureReceipt = {
  ...{ host: 'shop.example', at: '2026-01-01T00:00:00.000Z', by: 'ann', dryRun: false, neverAgain: true },
  ...{ counts, notes: ['copies remain in backups'] },
}

test('erase accepts a host name, or a name with all its subdomains, but no path', () => {
  assert.equal(hostOf('Shop.Example'), 'shop.example')
  assert.equal(hostOf('*.shop.example'), '*.shop.example')
  for (const text of ['shop.example/cart', 'https://shop.example/a', '', 'a b'])
    assert.throws(() => hostOf(text), { code: 'input.invalid' }, text)
})

test('the receipt of an erasure has a line for each count', () => {
  const text = linesOf(receipt).join('\n')
  for (const count of Object.values(counts)) assert.match(text, new RegExp(`^ +${count} {2}\\S`, 'm'))
  assert.match(text, /copies remain in backups/)
})

test('the output of a dry run does not claim that data were erased or that a host was added to the do-not-crawl list', () => {
  const [head, ...rest] = linesOf({ ...receipt, dryRun: true })
  assert.doesNotMatch(head!, /2026/)
  assert.doesNotMatch(rest.join('\n'), /do-not-crawl/)
  assert.match(linesOf(receipt)[0]!, /2026-01-01/)
  assert.match(linesOf(receipt).join('\n'), /do-not-crawl/)
  assert.doesNotMatch(linesOf({ ...receipt, neverAgain: false }).join('\n'), /do-not-crawl/)
})
