// Tests which scraper definitions are refused, and with which message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineScraper } from './define-scraper.ts'
import { Registry } from './registry.ts'

test('a scraper needs an id that is valid as a file name, and either code or rules', () => {
  const run = () => {}
  assert.throws(() => defineScraper({ id: 'a b', run }), /scraper id "a b" may contain letters/)
  assert.throws(() => defineScraper({ id: 'both', run, rules: { fields: {} } }), /either `run` or `rules`/)
  assert.throws(() => defineScraper({ id: 'neither' }), /either `run` or `rules`/)
})

test('an error in the policy is found when the scraper is defined', () => {
  const policy = { retries: { atempts: 2 } } as never
  assert.throws(
    () => defineScraper({ id: 'hasty', policy, run: () => {} }),
    /scraper hasty can't be used: policy\.retries\.atempts: unknown/,
  )
})

test('the registry knows the built-in scrapers, and suggests the nearest name for an unknown one', () => {
  const registry = new Registry()
  assert.equal(registry.list()[0]?.id, 'page')
  assert.equal(registry.get('job_posting').name, 'Job posting')
  assert.throws(
    () => registry.get('job-posting'),
    /no scraper is called "job-posting" \(did you mean "job_posting"\?\)/,
  )
  assert.throws(() => registry.get('zzz'), /no scraper is called "zzz"/)
})

test('two scrapers with the same name are refused, even if one of them is built in', () => {
  const mine = defineScraper({ id: 'article', run: () => {} })
  assert.throws(() => new Registry([mine]), /two scrapers are called "article"/)
})
