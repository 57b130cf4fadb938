// Tests the settings of monitors, and their stored checks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../../../test/support/job-values.ts'
import { longLabels } from '../../../lib/text/long-labels.ts'
import { monitorLabel } from '../../../model/own-labels.ts'
import { termsOf, termsOfJob } from './checks.ts'

test('settings of a monitor are read from the labels of its schedule, with default rules', () => {
  const labels = longLabels(monitorLabel, { ignore: { fields: ['views'] } })
  const terms = termsOf({ job: { labels } } as never)
  assert.deepEqual(terms?.ignore.fields, ['views'])
  assert.ok(terms!.ignore.noise.length > 0)
  assert.deepEqual(termsOfJob(jobOf({ spec: { labels } })), terms)
})

test('a schedule without the labels of a monitor is not a monitor', () => {
  assert.equal(termsOf({ job: {} } as never), null)
  assert.equal(termsOfJob(jobOf({ spec: { labels: { team: 'a' } } })), null)
})
