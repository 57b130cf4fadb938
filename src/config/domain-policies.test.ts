// Tests domain policies: values from a file, inheritance from the default entry, and errors with line numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadDomainPolicies, parseDomainPolicies, policyForHost } from './domain-policies.ts'

const parse = (text: string) => parseDomainPolicies(text, 'policies.yaml')
const refuses = (text: string, message: RegExp) =>
  assert.throws(() => parse(text), { name: 'Failure', code: 'input.invalid', message }, text)

test('an entry for a domain inherits missing values from the default entry', () => {
  const policies = parse(`
default:
  rate: 2/s
  backoff: { factor: 0.25, duration: 30s }
example.com:
  rate: 30/m
  crawl_delay_cap: 5s
  backoff: { duration: 2m }
  allowed_hours: { from: 08:00, to: "18:00", time_zone: Europe/Berlin, days: [mon, fri] }
`)
  const policy = policyForHost(policies, 'example.com')
  assert.equal(policy.rate, 0.5)
  assert.equal(policy.crawlDelayCapMs, 5_000)
  assert.deepEqual(policy.slowdown, {
    factor: 0.25,
    durationMs: 120_000,
    restoreSteps: 4,
    maxRetryAfterMs: 600_000,
  })
  assert.deepEqual(policy.hours, {
    from: '08:00',
    to: '18:00',
    timeZone: 'Europe/Berlin',
    days: ['mon', 'fri'],
  })
  assert.equal(policies.default.hours, undefined)
})

test('the longest matching domain applies, and a port may have its own entry', () => {
  const policies = parse(`
example.com: { rate: 2 }
shop.example.com: { rate: 3 }
"shop.example.com:8080": { rate: 4 }
"*.bücher.example": { rate: 5 }
`)
  const rateOf = (host: string) => policyForHost(policies, host).rate
  assert.equal(rateOf('example.com'), 2)
  assert.equal(rateOf('www.example.com:8443'), 2)
  assert.equal(rateOf('a.shop.example.com'), 3)
  assert.equal(rateOf('shop.example.com:8080'), 4)
  assert.equal(rateOf('www.xn--bcher-kva.example'), 5)
  assert.equal(rateOf('notexample.com'), 1)
  assert.equal(rateOf('[::1]:8080'), 1)
})

test('values of a domain entry are marked, and jobs cannot loosen them', () => {
  const policies = parse('example.com: { rate: 1/s, robots: ignore }')
  assert.deepEqual(policies.domains.get('example.com')?.fixed, ['rate'])
})

test('allowed hours of the default can be removed for a domain', () => {
  const policies = parse(`
default: { allowed_hours: { from: "22:00", to: "06:00" } }
example.com: { allowed_hours: always }
`)
  assert.equal(policyForHost(policies, 'other.example').hours?.from, '22:00')
  assert.equal(policyForHost(policies, 'example.com').hours, undefined)
})

test('the error for a misspelt key names its line and the right key', () => {
  refuses(
    'default:\n  rate: 1\n  bursts: 2',
    /policies\.yaml:3: default › bursts is unknown \(did you mean "burst"\?\)/,
  )
  refuses('a.example:\n  backoff:\n    factr: 0.5', /policies\.yaml:3: .*did you mean "factor"/)
  refuses('defualt:\n  rate: 1', /policies\.yaml:1: .*did you mean "default"/)
  refuses('a.example: { constructor: 1 }', /constructor is unknown/)
})

test('the error for a bad value names its line and the expected value', () => {
  refuses('a.example:\n  rate: fast', /:2: a\.example › rate: "fast" is not a rate; write it like 2\/s/)
  refuses('a.example:\n  crawl_delay_cap: 30', /:2: .*did you mean 30s/)
  refuses('a.example:\n\n  burst: 0', /:3: a\.example › burst/)
  refuses('a.example:\n  allowed_hours:\n    from: "8"\n    to: "09:00"', /:3: .*from.*"08:30"/)
  refuses('a.example:\n  allowed_hours: { from: "08:00", to: "09:00", time_zone: Mars }', /time_zone/)
  refuses('a.example:\n  action_delay: { min: 5s }', /:2: a\.example › action_delay: min is above max/)
})

test('a file that is not a map of domains is refused', () => {
  refuses('- a.example', /:1: a map/)
  refuses('a.example: 3', /:1: a\.example: a map is expected/)
  refuses('a b: { rate: 1 }', /"a b" is not a domain/)
  refuses('a.example: [', /not valid YAML/)
  refuses('a.example: {}\nA.example: {}', /:2: a\.example is named twice/)
})

test('an empty file of domain policies means the defaults', () => {
  assert.equal(policyForHost(parse(''), 'example.com').rate, 1)
  assert.equal(policyForHost(parse('default:\nexample.com:\n'), 'example.com').concurrency, 1)
})

test('the shipped policies have lower rates for linkedin.com and indeed.com', () => {
  const policies = loadDomainPolicies()
  assert.equal(policies.default.rate, 1)
  for (const host of ['www.linkedin.com', 'de.indeed.com']) {
    const policy = policyForHost(policies, host)
    assert.ok(policy.rate !== 'unlimited' && policy.rate < 1, host)
    assert.equal(policy.robots, 'obey')
  }
})
