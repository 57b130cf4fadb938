// docs/scrape-api.md is true: its examples run as they stand, and it names every field, state and promised error.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { snake } from '../../src/model/letter-case.ts'
import { batchBody, jobStatuses, scrapeBody, taskStatuses } from '../../src/server/faces/scrape/schemas.ts'
import { ScrapeFace } from '../support/scrape-face.ts'
import { operatorKey } from '../support/service.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/scrape-api.md'), 'utf8')
const examples = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!)

let face: ScrapeFace
before(async () => {
  face = await ScrapeFace.open()
})
after(() => face?.[Symbol.asyncDispose]())

async function run(script: string): Promise<string> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    env: { ...process.env, SERVER: face.service.url, KEY: operatorKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  assert.equal(code, 0, `${script}\n${out}\n${complaint}`)
  return out
}

for (const [index, example] of examples.entries())
  test(`example ${index + 1} of docs/scrape-api.md runs as it stands`, async () => {
    const here = example.replaceAll('127.0.0.1:8080', `${face.site.host}:${face.site.port}`)
    const said = await run(here)
    assert.match(said, /^\{"success":true,/)
    assert.match(said, /"error":null/)
  })

test('the answer that is shown has the fields of the real one', async () => {
  const shown = JSON.parse(/```json\n(.*?)```/s.exec(page)![1]!) as { data: object }
  const body = { url: `${face.site.url}/jobs/cabinet-maker`, target_type: 'job_posting' }
  const real = (await face.ask('/sync', { body })).body
  assert.deepEqual(Object.keys(shown), Object.keys(real))
  assert.deepEqual(Object.keys(shown.data), Object.keys(real.data))
})

test('no field, state or promised error is missing', () => {
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
