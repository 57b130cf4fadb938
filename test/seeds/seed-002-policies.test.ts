// Seed 002 (an earlier specification): tests its domain policies, and the requests to the backend for credentials.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBackendCredentials } from '../../src/adapters/http/credentials.ts'
import { loadDomainPolicies } from '../../src/config/domain-policies.ts'
import { Failure } from '../../src/model/failures.ts'

test('domain_policies.yaml has defaults and policies for linkedin.com and indeed.com', () => {
  const { default: usual, domains } = loadDomainPolicies()
  assert.equal(usual.rate, 1)
  assert.deepEqual([...domains.keys()], ['linkedin.com', 'indeed.com'])
  for (const { rate } of domains.values()) assert.ok((rate as number) < (usual.rate as number))
})

test('if a backend cannot be reached, it gets another request after 1, 2 and 4 s', async () => {
  const waits: number[] = []
  let requests = 0
  const credentials = openBackendCredentials({
    clock: { now: () => 0, sleep: async ms => void waits.push(ms) },
    ...{ ttlMs: 1_000, url: 'https://backend.example', serviceKey: 'the-key' },
    fetch: async () => {
      requests++
      throw new Failure('connect.refused', 'nobody there')
    },
  })
  await assert.rejects(credentials.get('w', 'p', new AbortController().signal), {
    code: 'credential.unavailable',
  })
  assert.deepEqual([requests, waits], [4, [1_000, 2_000, 4_000]])
})
