// Tests docs/scrape-api.md: its responses match real ones, and it names every field, state and error.
// documents-service.nightly.test.ts runs its examples.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { snake } from '../../../src/model/letter-case.ts'
import { jobStatuses, taskStatuses } from '../../../src/pipeline/report/scrape-answers.ts'
import { batchBody, scrapeBody } from '../../../src/server/api/scrape/schemas.ts'
import { ScrapeApi } from '../../support/scrape-api.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/scrape-api.md'), 'utf8')

let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open()
})
after(() => api?.[Symbol.asyncDispose]())

test('the response in docs/scrape-api.md has the same fields as the real response', async () => {
  const shown = JSON.parse(/```json\n(.*?)```/s.exec(page)![1]!) as { data: object }
  const body = { url: `${api.site.url}/jobs/cabinet-maker`, target_type: 'job_posting' }
  const real = (await api.ask('/sync', { body })).body
  assert.deepEqual(Object.keys(shown), Object.keys(real))
  assert.deepEqual(Object.keys(shown.data), Object.keys(real.data))
})

test('docs/scrape-api.md has every field and state, and every error that it names exists', () => {
  const options = Object.keys(scrapeBody.shape.options.unwrap().shape)
  const fields = [...Object.keys(scrapeBody.shape), ...Object.keys(batchBody.shape), ...options].map(snake)
  const errors = [
    ...['ValidationError', 'AuthenticationError', 'PoolExhaustedError', 'QueueFullError', 'CircuitOpenError'],
    ...['NoHealthyProxiesError', 'CredentialNotFoundError', 'TaskNotFoundError', 'JobNotFoundError'],
    'TaskTimeoutError',
  ]
  const words = [...fields, ...taskStatuses, ...jobStatuses, ...errors]
  assert.deepEqual(
    words.filter(word => !page.includes(`\`${word}\``)),
    [],
  )
})
