// Tests that a password in a webhook URL is refused in every field that accepts such a URL, and that the response does not repeat it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { settingsSchema } from '../../src/config/settings.ts'
import { TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await TestService.open()
})
after(() => service?.[Symbol.asyncDispose]())

const bad = 'https://user:hook-secret-4711@hook.example/in'
const url = 'https://a.example/'

test('every API refuses a webhook URL with a password, and shows the password nowhere', async () => {
  const timed = { name: 'x', cron: '@daily', time_zone: 'UTC' }
  for (const [path, body] of [
    ['/jobs', { urls: [url], webhook_url: bad }],
    ['/schedules', { ...timed, job: { urls: [url], webhook_url: bad } }],
    ['/monitors', { ...timed, job: { urls: [url] }, webhook_url: bad }],
    ['/fetch/start', { urls: [url], options: { webhook_url: bad } }],
    ['/api/v1/scrape', { url, callback_url: bad }],
    ['/v1/crawl', { url, webhook: bad }],
    ['/v2/crawl', { url, webhook: { url: bad } }],
    ['/v2/batch/scrape', { urls: [url], webhook: { url: bad } }],
  ] as const) {
    const answer = await service.ask(path, { body })
    assert.ok([400, 422].includes(answer.status), `${path}: ${answer.status} ${answer.text}`)
    assert.match(answer.text, /must not contain a user name or password/, path)
    assert.doesNotMatch(answer.text, /hook-secret/, path)
  }
  assert.doesNotMatch(JSON.stringify(service.logged), /hook-secret/)
})

test('SCRAPER_WEBHOOK_URL with a password is refused, and the error does not show the password', () => {
  const parsed = settingsSchema.safeParse({ webhookUrl: bad })
  assert.equal(parsed.success, false)
  assert.doesNotMatch(parsed.error!.message, /hook-secret/)
})
