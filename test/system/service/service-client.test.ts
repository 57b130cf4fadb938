// Tests the package kscrape/client with a real service.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client, type JobEvent } from '../../../src/client.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { freePort } from '../../support/free-port.ts'
import { operatorKey, TestService } from '../../support/service.ts'

const policy = { host: { rate: 'unlimited' as const } }

describe('the client', () => {
  let site: TestSite
  let service: TestService
  let client: Client
  before(async () => {
    site = await startTestSite()
    service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
    client = new Client({ server: service.url, apiKey: operatorKey })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  test('the client submits a job, waits for it, and gets its results', async () => {
    const urls = [`${site.url}/about`, `${site.url}/jobs`, `${site.url}/nothing-here`]
    const { jobId } = await client.jobs.create({ urls, policy, labels: { team: 'a' } })
    const events: JobEvent[] = []
    const status = await client.jobs.wait(jobId, { onEvent: event => events.push(event) })
    assert.equal(status.status, 'partially_completed')
    assert.equal(status.counts.byState.succeeded, 2)
    assert.ok(events.some(({ event }) => event === 'progress'))

    const results = await Array.fromAsync(client.jobs.results(jobId, { pageSize: 1 }))
    assert.deepEqual(results.map(({ url }) => url).sort(), [...urls].sort())
    const found = results.find(result => result.status === 'success')
    assert.equal(found?.status === 'success' && typeof found.data.title, 'string')
    const failed = results.find(result => result.status === 'error')
    assert.equal(failed?.status === 'error' && failed.error.code, 'http.not-found')

    const page = await client.jobs.download(jobId, found!.itemId, 'html')
    assert.match(await page.text(), /<title>/)
    const lines = (await (await client.jobs.export(jobId, 'jsonl')).text()).trim().split('\n')
    assert.equal(lines.length, 2)
    const listed = await Array.fromAsync(client.jobs.list({ labels: { team: 'a' }, counts: true }))
    assert.deepEqual(
      listed.map(job => [job.jobId, job.counts?.records]),
      [[jobId, 2]],
    )
    const item = await client.jobs.item(jobId, found!.itemId)
    assert.equal(item.history.length, 1)
    assert.ok(Object.keys(item.records[0]?.provenance ?? {}).length > 0)
    await client.jobs.delete(jobId)
    await assert.rejects(client.jobs.get(jobId), { code: 'job.unknown', status: 404 })
  })

  test('results can be followed while the job runs, and each result is returned once', async () => {
    const urls = Array.from({ length: 30 }, (_, index) => `${site.url}/?page=${index}`)
    const { jobId } = await client.jobs.create({ urls, policy })
    const seen = new Set<string>()
    for await (const result of client.jobs.results(jobId, { follow: true, pageSize: 7 })) {
      assert.ok(!seen.has(result.taskId))
      seen.add(result.taskId)
    }
    assert.equal(seen.size, 30)
  })

  test('requests with the same idempotency key create one job, and each call without a key creates its own job', async () => {
    const job = { urls: [`${site.url}/about`], policy }
    const [first, again] = [
      await client.jobs.create(job, { idempotencyKey: 'once' }),
      await client.jobs.create(job, { idempotencyKey: 'once' }),
    ]
    assert.equal(first.jobId, again.jobId)
    assert.notEqual((await client.jobs.create(job)).jobId, (await client.jobs.create(job)).jobId)
  })

  test('a job is paused, resumed, cancelled and retried', async () => {
    const urls = ['http://a.example/1', 'http://a.example/2']
    const { jobId } = await client.jobs.create({ urls, policy: { host: { rate: 0.01 } } })
    assert.equal((await client.jobs.pause(jobId)).status, 'paused')
    assert.equal((await client.jobs.resume(jobId)).status, 'running')
    await client.jobs.cancel(jobId)
    assert.equal((await client.jobs.wait(jobId)).status, 'cancelled')
  })

  test('rows can be uploaded as bytes, as a blob or as a stream, and a job can use them', async () => {
    const rows = `${site.url}/about\n${site.url}/jobs\n`
    const contents = [rows, new TextEncoder().encode(rows), new Blob([rows]), new Blob([rows]).stream()]
    for (const content of contents) {
      const upload = await client.uploads.send(content, { fileName: 'urls.txt' })
      assert.deepEqual([upload.status, upload.bytes], ['complete', rows.length])
      const { jobId } = await client.jobs.create({ uploadId: upload.uploadId, policy })
      assert.equal((await client.jobs.wait(jobId)).counts.records, 2)
    }
    const [first] = await Array.fromAsync(client.uploads.list())
    await client.uploads.delete(first!.uploadId)
    await assert.rejects(client.uploads.get(first!.uploadId), { code: 'upload.unknown' })
  })

  test('a schedule is created, run by hand, changed and compared', async () => {
    const schedule = await client.schedules.create({
      ...{ scheduleId: 'nightly', name: 'Every night', cron: '30 2 * * *', timeZone: 'Europe/Berlin' },
      job: { urls: [`${site.url}/about`], policy },
    })
    assert.equal(schedule.nextRuns.length, 5)
    for (const _ of [1, 2]) {
      const { jobId } = await client.schedules.run('nightly')
      await client.jobs.wait(jobId!)
    }
    assert.equal((await Array.fromAsync(client.schedules.runs('nightly'))).length, 2)
    const { counts } = await client.schedules.compare('nightly')
    assert.deepEqual([counts.new, counts.unchanged], [0, 1])
    assert.equal((await client.schedules.change('nightly', { cron: '0 4 * * *' })).cron, '0 4 * * *')
    assert.equal((await client.schedules.pause('nightly')).paused, true)
    assert.equal((await client.schedules.resume('nightly')).paused, false)
    await client.schedules.delete('nightly')
    assert.deepEqual(await Array.fromAsync(client.schedules.list()), [])
  })

  test('a monitor is created, runs twice, and reports what changed on its page', async () => {
    const monitor = await client.monitors.create({
      ...{ monitorId: 'prices', name: 'Prices', cron: '0 0 1 1 *', ignore: { lines: ['visitors online'] } },
      job: { urls: [`${site.url}/changing/anchor`], policy },
    })
    assert.deepEqual(monitor.ignore.lines, ['visitors online'])
    const looks: string[] = []
    for (const _ of [1, 2]) {
      const { jobId } = await client.monitors.run('prices')
      await client.jobs.wait(jobId!)
      looks.unshift(jobId!)
      await fetch(`${site.url}/changing/edition`, { method: 'POST' })
    }
    const checks = await Array.fromAsync(client.monitors.checks('prices', { pageSize: 1 }))
    assert.deepEqual(
      checks.map(({ jobId, counts }) => [jobId, counts.new, counts.changed]),
      [
        [looks[0], 0, 1],
        [looks[1], 1, 0],
      ],
    )
    const { pages } = await client.monitors.check('prices', looks[0]!, { status: 'changed' })
    assert.match(pages[0]?.diff ?? '', /^\+It costs € 45\.00\.$/m)
    assert.deepEqual(await client.monitors.get('prices'), (await Array.fromAsync(client.monitors.list()))[0])
    await client.monitors.delete('prices')
    await assert.rejects(client.monitors.get('prices'), { code: 'schedule.unknown', status: 404 })
  })

  test('the client searches records, lists hosts, and manages do-not-crawl entries and keys', async () => {
    const { jobId } = await client.jobs.create({ urls: [`${site.url}/about`], policy })
    await client.jobs.wait(jobId)
    const found = await Array.fromAsync(
      client.search({ jobId, filters: [{ field: 'url', is: 'contains', value: 'about' }] }),
    )
    assert.equal(found[0]?.url, `${site.url}/about`)

    const host = `${site.host}:${site.port}`
    assert.ok((await client.hosts.get(host)).requests > 0)
    assert.equal((await client.hosts.pause(host, { reason: 'night' })).paused?.reason, 'night')
    assert.equal((await client.hosts.resume(host)).paused, null)
    assert.equal((await client.hosts.setPolicy(host, { rate: 0.5 })).rateNow, 0.5)
    assert.equal((await client.hosts.setPolicy(host, null)).policySet, null)

    const listing = await client.doNotCrawl.add({ pattern: '*.left-alone.example' })
    assert.equal(listing.status, 'approved')
    await client.doNotCrawl.delete(listing.listingId)

    const { key, keyId } = await client.keys.create({ name: 'reader', scopes: ['read'] })
    const reader = new Client({ server: service.url, apiKey: key })
    await assert.rejects(reader.jobs.create({ urls: [`${site.url}/`] }), { code: 'request.forbidden' })
    assert.ok((await client.keys.revoke(keyId)).revokedAt)
    assert.deepEqual(await Array.fromAsync(client.webhooks.list({ state: 'dead' })), [])
  })

  test('the error of a refused request names the field', async () => {
    const wrong = client.jobs.create({ urls: [`${site.url}/`], depth: -1 })
    await assert.rejects(wrong, { code: 'input.invalid', field: 'depth', status: 422 })
  })
})

test('the client continues to wait for a job while its service restarts', async () => {
  await using site = await startTestSite()
  const port = await freePort()
  const settings = { allowPrivate: [`${site.host}:${site.port}`], graceMs: 50, port }
  site.serve('/held', '<title>held</title>')
  const hold = site.hold('/held')
  const first = await TestService.open({ settings })
  const client = new Client({ server: first.url, apiKey: operatorKey })
  const { jobId } = await client.jobs.create({ urls: [`${site.url}/held`], policy })
  const waiting = client.jobs.wait(jobId)
  await hold.arrived()
  await first.close()
  hold.release()
  await using _second = await TestService.open({ settings }, first.folder)
  assert.equal((await waiting).status, 'completed')
})
