// Tests docs/schedules.md and docs/webhooks.md: the example receiver accepts real webhooks, and no field is missing.
// documents-service.nightly.test.ts runs their examples.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { retryWaitsMs } from '../../../src/deliver/retry-webhook.ts'
import { snake } from '../../../src/model/letter-case.ts'
import { overlaps, runOutcomes, scheduleBody } from '../../../src/model/schedule.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { TestService } from '../../support/service.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'
import { Workplace } from '../run-cli.ts'

const pageNamed = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8')
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

test('docs/schedules.md names every field, overlap rule and outcome', () => {
  const words = [...Object.keys(scheduleBody.shape).map(snake), ...overlaps, ...runOutcomes]
  assert.deepEqual(
    words.filter(word => !schedules.includes(`\`${word}\``)),
    [],
  )
})

test('the example receiver in docs/webhooks.md accepts genuine messages and nothing else', async () => {
  const before = receiver.received.length
  await service.submit({ urls: [`${site.url}/about`], webhook_url: receiver.url })
  const { headers, body } = (await receiver.has(before + 1))[before]!
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

test('the body and the retry times in docs/webhooks.md match those of the service', async () => {
  const shown = JSON.parse(blocksOf(webhooks, 'json')[0]!) as Record<string, object>
  const real = JSON.parse(receiver.received.at(-1)!.body) as Record<string, object>
  assert.deepEqual(Object.keys(shown), Object.keys(real))
  assert.deepEqual(Object.keys(shown.summary!).sort(), Object.keys(real.summary!).sort())
  assert.deepEqual(retryWaitsMs, [2_000, 4_000, 8_000, 300_000, 3_600_000, 21_600_000, 86_400_000])
  assert.match(webhooks, /after 2, 4 and 8 seconds, 5 minutes, 1, 6 and 24 hours/)
})
