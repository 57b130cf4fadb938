// Tests the rules for policies that the operator's settings set for all jobs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, jobOf } from '../../test/support/job-values.ts'
import { settingsSchema } from '../config/settings.ts'
import { policyRulesOf, refuseSpent } from './policy-rules.ts'

const rulesOf = (settings: object = {}) => policyRulesOf(settingsSchema.parse(settings))

test('the policy has prices by default only if the operator set them', () => {
  assert.deepEqual(rulesOf().defaults, { prices: {} })
  assert.deepEqual(rulesOf({ pricePerGb: 2 }).defaults, { prices: { perGb: 2 } })
  const both = rulesOf({ pricePerGb: 2, pricePerBrowserHour: 3 }).defaults
  assert.deepEqual(both, { prices: { perGb: 2, perBrowserHour: 3 } })
})

test('jobs of the scrape API render pages if needed, with the identity that the settings name', () => {
  const plain = rulesOf({ scrapeIdentity: 'own' }).ofFace
  assert.deepEqual(plain, { scrape: { render: 'auto' }, fetch: {} })
  const browser = rulesOf({ scrapeIdentity: 'browser' }).ofFace
  assert.equal(browser?.scrape?.identity?.headers, 'browser')
  assert.equal(browser?.fetch?.identity?.tls, 'browser')
})

test('a job that has spent its limit is not resumed', () => {
  const job = jobOf({ state: 'paused', spec: { policy: { limits: { pages: 5 } } } })
  refuseSpent(job, countsOf({ pages: 4 }))
  assert.throws(() => refuseSpent(job, countsOf({ pages: 5 })), { code: 'job.wrong-state', message: /pages/ })
  refuseSpent(jobOf(), countsOf({ pages: 1_000_000 }))
})
