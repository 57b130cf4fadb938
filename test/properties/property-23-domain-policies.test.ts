// Property 23: domain policies that are written as YAML are read back unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type DomainPolicies,
  parseDomainPolicies,
  serializeDomainPolicies,
} from '../../src/config/domain-policies.ts'
import { hostPolicy, weekdays } from '../../src/model/policy/policy.ts'

const clockTime = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(parts => parts.map(part => String(part).padStart(2, '0')).join(':'))
const durationMs = fc.nat({ max: 86_400_000 })

const anyPolicy = fc
  .record({
    rate: fc.oneof(fc.constant('unlimited' as const), fc.double({ min: 1e-4, max: 1e5, noNaN: true })),
    burst: fc.integer({ min: 1, max: 10_000 }),
    concurrency: fc.integer({ min: 1, max: 1_000 }),
    crawlDelayCapMs: durationMs,
    hours: fc.option(
      fc.record({
        from: clockTime,
        to: clockTime,
        timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
        days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
      }),
      { nil: undefined },
    ),
    robots: fc.constantFrom('obey' as const, 'ignore' as const),
    actionDelayMs: fc
      .tuple(durationMs, durationMs)
      .map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) })),
    slowdown: fc.record({
      factor: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      durationMs,
      restoreSteps: fc.integer({ min: 1, max: 100 }),
      maxRetryAfterMs: durationMs,
    }),
    breaker: fc.record({
      window: fc.integer({ min: 1, max: 1_000 }),
      failures: fc.integer({ min: 1, max: 1_000 }),
      cooldownMs: durationMs,
    }),
  })
  .map(policy => hostPolicy.parse(policy))

/** Task policies of a domain. `default` has none, because there they would apply to every domain. */
const anyParts = fc.record(
  {
    proxy: fc.record(
      {
        use: fc.constantFrom('auto' as const, 'never' as const, 'always' as const),
        country: fc.constantFrom('de', 'us'),
        city: fc.constantFrom('Phoenix', 'São Paulo'),
        rotation: fc.constantFrom('random' as const, 'sticky' as const),
        restMs: durationMs,
      },
      { requiredKeys: ['use'], noNullPrototype: true },
    ),
    identity: fc.record(
      {
        headers: fc.constantFrom('own' as const, 'browser' as const),
        maxAgeMs: fc.integer({ min: 1_000, max: 86_400_000 }),
      },
      { requiredKeys: ['headers'], noNullPrototype: true },
    ),
    browser: fc.record({ navigationMs: fc.integer({ min: 1, max: 600_000 }) }, { noNullPrototype: true }),
  },
  { requiredKeys: [], noNullPrototype: true },
)

const everything = ['rate', 'burst', 'concurrency'] as const
const domainPolicy = fc
  .tuple(anyPolicy, anyParts)
  .map(([policy, parts]) => ({ ...policy, ...parts, fixed: [...everything] }))
const anyPolicies: fc.Arbitrary<DomainPolicies> = fc.record(
  {
    default: anyPolicy,
    domains: fc.array(fc.tuple(fc.domain(), domainPolicy), { maxLength: 5 }).map(entries => new Map(entries)),
  },
  { noNullPrototype: true },
)

test('Property 23: any domain policies, written as YAML, are read back equal', () => {
  fc.assert(
    fc.property(anyPolicies, policies => {
      assert.deepEqual(parseDomainPolicies(serializeDomainPolicies(policies), 'policies.yaml'), policies)
    }),
  )
})

test('Property 23: a file with omitted values can be read, written and read again with the same policies', () => {
  const entry = fc.constantFrom(
    '{}',
    '{ rate: 30/m }',
    '{ burst: 3, crawl_delay_cap: 1m30s }',
    '{ allowed_hours: always, robots: ignore }',
    '{ allowed_hours: { from: "22:00", to: "06:00", days: [sat] } }',
    '{ backoff: { factor: 0.3 }, breaker: { cooldown: 5m }, action_delay: { max: 1h } }',
  )
  fc.assert(
    fc.property(entry, fc.array(fc.tuple(fc.domain(), entry), { maxLength: 5 }), (ofDefault, ofDomains) => {
      const lines = [...new Map([['default', ofDefault], ...ofDomains])].map(
        ([name, body]) => `"${name}": ${body}`,
      )
      const policies = parseDomainPolicies(lines.join('\n'), 'policies.yaml')
      assert.deepEqual(parseDomainPolicies(serializeDomainPolicies(policies), 'policies.yaml'), policies)
    }),
  )
})
