// docs/schedules.md and docs/webhooks.md are true: their examples run as they stand, and no field is missing from them.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { retryWaitsMs } from '../../src/deliver/retry-webhook.ts'
import { snake } from '../../src/model/letter-case.ts'
import { overlaps, runOutcomes, scheduleBody } from '../../src/model/schedule.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { operatorKey, TestService } from '../support/service.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'
import { Workplace } from './run-cli.ts'

const pageNamed = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')
const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, block]) => block!)

const schedules = pageNamed('schedules.md')
const webhooks = pageNamed('webhooks.md')

let site: TestSite
let receiver: WebhookReceiver
let service: TestService
before(async () => {
  site = await startTestSite()
  receiver = await WebhookReceiver.open()
  service = await TestService.open({
    settings: {
      allowPrivate: [`${site.host}:${site.port}`, receiver.place],
      webhookSecret: ['fresh', 'old'],
    },
  })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const here = (example: string): string => example.replaceAll('127.0.0.1:8080', `${site.host}:${site.port}`)

async function run(script: string, variables: Record<string, string> = {}): Promise<string> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    env: { ...process.env, SERVER: service.url, KEY: operatorKey, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  assert.equal(code, 0, `${script}\n${said}\n${complaint}`)
  return said
}

/** Two runs to compare, as a night later. */
async function runTwice(): Promise<void> {
  for (const _night of [1, 2]) {
    const runs = await service.ask<{ runs: Array<{ job_id: string }> }>('/schedules/nightly/runs')
    for (const { job_id: jobId } of runs.body.runs) await service.ended(jobId)
    await service.ask('/schedules/nightly/run', { method: 'POST' })
  }
  const { body } = await service.ask<{ runs: Array<{ job_id: string }> }>('/schedules/nightly/runs')
  for (const { job_id: jobId } of body.runs) await service.ended(jobId)
}

test('the examples of docs/schedules.md run as they stand, one after the other', async () => {
  const [create, running, compare, change, ...rest] = blocksOf(schedules, 'sh')
  assert.deepEqual(rest, [])
  assert.match(await run(here(create!)), /"next_runs":\[/)
  assert.match(await run(here(running!)), /"outcome":"started"/)
  await runTwice()
  assert.match(await run(here(compare!)), /"counts":\{"new":0,"changed":0,"unchanged":2,"gone":0\}/)
  assert.match(await run(here(change!)), /"deleted":true/)
})

test('the commands of docs/schedules.md run as they stand, beside no service', async () => {
  await using place = await Workplace.open()
  await writeFile(place.file('schedule.yaml'), here(blocksOf(schedules, 'yaml')[0]!))
  const lines = blocksOf(schedules, 'text').flatMap(block => here(block).trim().split('\n'))
  assert.ok(lines.length >= 7)
  for (const line of lines) {
    const { code, stderr } = await place.run(line.split(' ').slice(1))
    assert.equal(code, 0, `${line}\n${stderr}`)
  }
})

test('no field, overlap or outcome is missing from docs/schedules.md', () => {
  const words = [...Object.keys(scheduleBody.shape).map(snake), ...overlaps, ...runOutcomes]
  assert.deepEqual(
    words.filter(word => !schedules.includes(`\`${word}\``)),
    [],
  )
})

test('the examples of docs/webhooks.md run as they stand, and its receiver believes what is sent', async () => {
  const before = receiver.received.length
  const jobId = await service.submit({ urls: [`${site.url}/about`], webhook_url: receiver.url })
  const { headers, body } = (await receiver.has(before + 1))[before]!
  const variables = { JOB: jobId, WEBHOOK: String(headers['webhook-id']) }
  const said = await run(blocksOf(webhooks, 'sh')[0]!, variables)
  assert.match(said, new RegExp(`"webhook_id":"${variables.WEBHOOK}"`))

  await using place = await Workplace.open()
  await writeFile(place.file('receiver.mjs'), blocksOf(webhooks, 'js')[0]!)
  const { isOurs } = (await import(pathToFileURL(place.file('receiver.mjs')).href)) as {
    isOurs: (headers: object, body: string, secret: string, now?: number) => boolean
  }
  assert.deepEqual(
    [isOurs(headers, body, 'fresh'), isOurs(headers, body, 'old'), isOurs(headers, body, 'other')],
    [true, true, false],
  )
  assert.equal(isOurs(headers, `${body} `, 'fresh'), false)
  assert.equal(isOurs(headers, body, 'fresh', Date.now() + 600_000), false)
})

test('the body that is shown has the fields of the real one, and the times are those that are kept', async () => {
  const shown = JSON.parse(blocksOf(webhooks, 'json')[0]!) as Record<string, object>
  const real = JSON.parse(receiver.received.at(-1)!.body) as Record<string, object>
  assert.deepEqual(Object.keys(shown), Object.keys(real))
  assert.deepEqual(Object.keys(shown.summary!).sort(), Object.keys(real.summary!).sort())
  assert.deepEqual(retryWaitsMs, [2_000, 4_000, 8_000, 300_000, 3_600_000, 21_600_000, 86_400_000])
  assert.match(webhooks, /after 2, 4 and 8 seconds, 5 minutes, 1, 6 and 24 hours/)
})
