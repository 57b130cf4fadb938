// Tests that the flags of a job become a job with only the given values.
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { fetchSpecOf, settingsOf, specOf } from './flag-spec.ts'

test('without flags, a job sets no field except `output`, which is empty', () => {
  assert.deepEqual(fetchSpecOf({}), {})
  assert.deepEqual(specOf({}), { output: [] })
  assert.deepEqual(settingsOf({}), {})
})

test('--rate applies to each host, and --concurrency applies to each host if --rate is given', () => {
  assert.deepEqual(fetchSpecOf({ rate: 2 }), { policy: { host: { rate: 2 } } })
  assert.deepEqual(fetchSpecOf({ rate: 2, concurrency: 4 }), {
    concurrency: 4,
    policy: { host: { rate: 2, concurrency: 4 } },
  })
})

test('an unlimited rate does not change the host’s concurrency', () => {
  assert.deepEqual(fetchSpecOf({ rate: 'unlimited', concurrency: 4 }), {
    concurrency: 4,
    policy: { host: { rate: 'unlimited' } },
  })
})

test('robots.txt is ignored only with --ignore-robots, and --retries 0 disables retries', () => {
  assert.deepEqual(fetchSpecOf({ ignoreRobots: true, retries: 0 }).policy, {
    robots: 'ignore',
    retries: { attempts: 0 },
  })
  assert.deepEqual(fetchSpecOf({ ignoreRobots: false }), {})
})

test('a --header flag is split at the first colon, and both parts are trimmed', () => {
  const { headers } = fetchSpecOf({ header: ['Accept-Language:  de ', 'X-Time: 10:30', 'X-Empty:'] })
  assert.deepEqual(headers, { 'Accept-Language': 'de', 'X-Time': '10:30', 'X-Empty': '' })
})

test('the error for a header without a valid name shows the header', () => {
  for (const line of ['no colon', ': value', 'two words: x', 'Ünicode: x'])
    assert.throws(() => fetchSpecOf({ header: [line] }), { message: new RegExp(`--header "${line}"`) })
})

test('a cookie file is stored with its absolute path', () => {
  assert.equal(fetchSpecOf({ cookies: 'jar.json' }).cookiesFile, resolve('jar.json'))
})

test('--limit flags are merged into the policy of other flags', () => {
  const limit = [{ name: 'pages', amount: 5, isMore: false }] as never
  const { policy } = specOf({ ignoreRobots: true, limit })
  assert.equal(policy?.robots, 'ignore')
  assert.ok(policy && 'limits' in policy)
})

test('the value 0 of --depth, --max-age and --llm-tokens is stored, and --no-raw stores no raw pages', () => {
  const spec = specOf({ depth: 0, maxAge: 0, llmTokens: 0, raw: false })
  assert.deepEqual(spec, { depth: 0, maxAgeMs: 0, llmTokens: 0, results: { raw: 'none' }, output: [] })
  assert.deepEqual(specOf({ raw: true }), { output: [] })
})

test('the file name of an output selects its format', () => {
  assert.throws(() => specOf({ output: ['pages.unknown'] }), /pages\.unknown/)
  assert.equal(specOf({ output: ['pages.csv'] }).output?.[0]?.format, 'csv')
})

test('flags with the name of a setting change this setting, and --no-proxy does not become a list of proxies', () => {
  const flags = { dataDir: 'd', userAgent: 'u', contact: 'c', allowPrivate: ['a:1'], proxy: ['http://p'] }
  assert.deepEqual(settingsOf(flags), {
    ...{ dataDir: 'd', userAgent: 'u', contact: 'c', allowPrivate: ['a:1'] },
    proxies: ['http://p'],
  })
  assert.deepEqual(settingsOf({ proxy: false }), {})
})
