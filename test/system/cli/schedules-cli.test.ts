// Tests kscrape schedules on a data directory, with and without a running service, and webhooks of jobs from the command line.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { eventually } from '../../support/eventually.ts'
import { TestService } from '../../support/service.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'
import { Workplace } from '../run-cli.ts'

let site: TestSite
let receiver: WebhookReceiver
before(async () => {
  site = await startTestSite()
  receiver = await WebhookReceiver.open()
})
after(async () => {
  await receiver[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const scheduleOf = (cron = '0 0 1 1 *'): string =>
  JSON.stringify({
    ...{ schedule_id: 's', name: 'yearly', cron, time_zone: 'UTC' },
    job: { urls: [`${site.url}/about`], policy: { host: { rate: 'unlimited' } } },
  })

test('a running service starts a run that another process requested', async () => {
  const allowed = `${site.host}:${site.port}`
  await using place = await Workplace.open()
  await using service = await TestService.open({ settings: { allowPrivate: [allowed] } })
  const here = ['--data-dir', service.folder]
  await writeFile(place.file('schedule.json'), scheduleOf())
  const made = await place.run(['schedules', 'create', 'schedule.json', '--allow-private', allowed, ...here])
  assert.deepEqual([made.code, made.stdout], [0, 's\n'], made.stderr)
  assert.equal((await service.ask('/schedules/s')).status, 200)

  const ran = await place.run(['schedules', 'run', 's', '--json', ...here])
  const run = JSON.parse(ran.stdout) as { outcome: string; job_id: string }
  assert.equal(run.outcome, 'started', ran.stdout)
  assert.equal((await service.ended(run.job_id)).status, 'completed')
})

test('if no service runs, a requested run waits, and the command says so', async () => {
  const allowed = `${site.host}:${site.port}`
  await using place = await Workplace.open()
  await writeFile(place.file('schedule.json'), scheduleOf())
  await place.run(['schedules', 'create', 'schedule.json', '--allow-private', allowed])
  const ran = await place.run(['schedules', 'run', 's'])
  assert.match(ran.stderr, /a run waits .*`kscrape serve` starts it/)

  await using service = await TestService.open(
    { settings: { allowPrivate: [allowed] } },
    place.file('.kscrape'),
  )
  await eventually('the run', async () => {
    const { body } = await service.ask<{ runs: Array<{ outcome: string }> }>('/schedules/s/runs')
    return body.runs[0]?.outcome === 'started'
  })
})

const wrong: Array<[string, RegExp]> = [
  ['[]', /is not a schedule/],
  ['{"name": "x"}', /cron: .*time_zone: .*job: /],
  [`{"name": "x", "cron": "0 0 30 2 *", "time_zone": "UTC", "job": {}}`, /there is no such day/],
  [
    `{"name": "x", "cron": "* * * * *", "time_zone": "UTC", "job": {"urls": ["http://10.0.0.1/"]}}`,
    /job\.urls\[0\]/,
  ],
  [`{"name": "x", "cron": "* * * * *", "time_zone": "UTC", "jop": {}}`, /jop: unknown; did you mean "job"/],
]
for (const [text, message] of wrong)
  test(`an invalid schedule is refused: ${text.slice(0, 60)}`, async () => {
    await using place = await Workplace.open()
    const { code, stderr } = await place.run(['schedules', 'create', '-'], { stdin: text })
    assert.equal(code, 2, stderr)
    assert.match(stderr, message)
  })

const crawl = () => [
  ...['crawl', `${site.url}/about`, '--max-pages', '1', '-o', 'pages.jsonl', '--webhook', receiver.url],
  ...['--allow-private', `${site.host}:${site.port}`, '--allow-private', receiver.place],
]

test('a crawl sends its webhook before its process ends', async () => {
  await using place = await Workplace.open()
  const { code, stderr } = await place.run(crawl(), { env: { SCRAPER_WEBHOOK_SECRET: 'secret' } })
  assert.equal(code, 0, stderr)
  assert.match(stderr, /webhook to http:\S+: delivered/)
  const { headers, body } = receiver.received.at(-1)!
  assert.equal(JSON.parse(body).status, 'completed')
  assert.ok(headers['webhook-signature'])
})

test('if a crawl could not send its webhook, the webhook stays in the outbox, and a service delivers it', async () => {
  await using place = await Workplace.open()
  receiver.mode = 410
  const { code, stderr } = await place.run(crawl())
  receiver.mode = 200
  assert.equal(code, 0, stderr)
  assert.match(stderr, /not delivered, without further retries \(answered 410/)
  const heard = receiver.received.length
  await using service = await TestService.open(
    { settings: { allowPrivate: [receiver.place] } },
    place.file('.kscrape'),
  )
  const { body } = await service.ask<{ webhooks: Array<{ webhook_id: string }> }>('/webhooks?state=dead')
  await service.ask(`/webhooks/${body.webhooks[0]!.webhook_id}/replay`, { method: 'POST' })
  await receiver.has(heard + 1)
})
