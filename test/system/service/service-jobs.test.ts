// Tests the jobs API of a running service: submit a job, follow it, get its results, and control it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { operatorKey, TestService } from '../../support/service.ts'

const fast = { policy: { host: { rate: 'unlimited' }, retries: { attempts: 0 } } }

interface Page {
  status: string
  complete: boolean
  next_cursor: string | null
  items: Array<{
    item_id: string
    url: string
    status: string
    data?: Record<string, unknown>
    error?: { code: string }
  }>
  metadata?: { items: Record<string, number>; parts: Record<string, number>; duration_seconds: number }
  parts?: string[]
}

describe('the jobs API', () => {
  let site: TestSite
  let service: TestService
  before(async () => {
    site = await startTestSite()
    service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const results = async (jobId: string, query = '') =>
    (await service.ask<Page>(`/jobs/${jobId}/results${query}`)).body

  test('a job with items for a scraper runs in the format of the earlier worker system', async () => {
    const created = await service.ask('/jobs', {
      body: {
        job_id: 'test-001',
        scraper_id: 'example-mock',
        items: [
          { item_id: 'item-1', input: { test_param: 'hello' } },
          { item_id: 'item-2', input: { test_param: 'world' } },
        ],
      },
    })
    assert.equal(created.status, 202)
    assert.equal(created.body.job_id, 'test-001')

    const status = await service.ended('test-001')
    assert.equal(status.status, 'completed')
    const page = await results('test-001', '?status=success')
    assert.deepEqual(page.items.map(item => item.item_id).sort(), ['item-1', 'item-2'])
    const data = await service.ask('/jobs/test-001/items/item-1/download?artifact=data')
    assert.equal(data.status, 200)
    assert.ok(Array.isArray(data.body))
    assert.equal((await service.ask('/jobs/test-001/items/item-1/download?artifact=screenshot')).status, 404)
  })

  test('a crawl by seeds, depth and allowed domains runs as documented', async () => {
    const jobId = await service.submit({
      seed_urls: [`${site.url}/categories/lamps`],
      depth: 1,
      allowed_domains: [`${site.host}:${site.port}`],
      render: false,
      max_pages: 5,
      ...fast,
    })
    const status = await service.ended(jobId)
    assert.equal(status.status, 'completed')
    assert.equal((await results(jobId, '?status=success')).items.length, 5)
  })

  test('results are returned page by page, records and failures each once, with a manifest and a summary in the end', async () => {
    const urls = ['/categories/chairs', '/', '/categories/lamps', '/nowhere-1', '/nowhere-2'].map(
      path => `${site.url}${path}`,
    )
    const jobId = await service.submit({ urls, ...fast })
    await service.ended(jobId)

    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Page = await results(jobId, `?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`)
      seen.push(...page.items.map(item => item.url))
      cursor = page.next_cursor
    } while (cursor !== null)
    assert.equal(new Set(seen).size, seen.length)
    assert.ok(seen.includes(urls[3]!) && seen.includes(urls[1]!))

    const failed = await results(jobId, '?status=error')
    assert.ok(failed.items.every(item => item.status === 'error' && item.error?.code === 'http.not-found'))
    assert.equal(failed.complete, true)
    assert.equal(failed.metadata?.items.total, urls.length)
    assert.equal(failed.parts?.length, 1)
    const part = await service.ask<{ items: unknown[] }>(
      new URL(failed.parts![0]!).pathname + new URL(failed.parts![0]!).search,
    )
    assert.equal(part.body.items.length, failed.items.length)
    assert.equal((await service.ask(`/jobs/${jobId}/results?part=2`)).status, 404)
  })

  test('records can be streamed as NDJSON and CSV, and requested files can be downloaded', async () => {
    const jobId = await service.submit({
      urls: [`${site.url}/`, `${site.url}/categories/lamps`],
      extract: { fields: { title: 'title' } },
      output: [{ path: 'titles.csv', format: 'csv' }],
      ...fast,
    })
    await service.ended(jobId)
    const lines = await service.ask(`/jobs/${jobId}/results`, { headers: { accept: 'application/x-ndjson' } })
    assert.equal(lines.text.trim().split('\n').length, 2)
    const table = await service.ask(`/jobs/${jobId}/results?format=csv`)
    assert.match(table.text, /^title,_page_url/)
    assert.match(table.headers.get('content-disposition') ?? '', /attachment/)
    const file = await service.ask(`/jobs/${jobId}/outputs/titles.csv`)
    assert.equal(file.status, 200)
    assert.match(file.text, /^title,/)
  })

  test('a stream can be filtered by status, and options that streams do not have are refused', async () => {
    const jobId = await service.submit({ urls: [`${site.url}/`, `${site.url}/nowhere`], ...fast })
    await service.ended(jobId)
    const stream = async (query: string) => (await service.ask(`/jobs/${jobId}/results${query}`)).text
    const failures = (await stream('?format=ndjson&status=error')).trim().split('\n')
    assert.deepEqual(
      failures.map(line => JSON.parse(line).error.code),
      ['http.not-found'],
    )
    assert.match(await stream('?format=csv&status=error'), /^item_id,.*\r\ntask-2,.*,http\.not-found,.*\r\n$/)
    assert.equal((await stream('?format=ndjson&status=all')).trim().split('\n').length, 2)
    assert.equal((await stream('?format=ndjson')).trim().split('\n').length, 1)
    for (const query of [
      'format=csv&status=all',
      'format=csv&limit=1',
      'format=ndjson&cursor=x',
      'part=1&format=csv',
    ])
      assert.equal((await service.ask(`/jobs/${jobId}/results?${query}`)).status, 422, query)
  })

  test('a stored page is sent as a file that no browser executes, in both layouts', async () => {
    for (const layout of ['segments', 'items']) {
      const jobId = await service.submit({ urls: [`${site.url}/`], results: { layout }, ...fast })
      await service.ended(jobId)
      const page = await service.ask(`/jobs/${jobId}/items/task-1/download?artifact=html`)
      assert.match(page.text, /<html/)
      assert.match(page.headers.get('content-type') ?? '', /^text\/plain/)
      assert.match(page.headers.get('content-disposition') ?? '', /^attachment/)
      assert.equal(page.headers.get('x-content-type-options'), 'nosniff')
      assert.match(page.headers.get('content-security-policy') ?? '', /sandbox/)
    }
  })

  test('a request for one part of the results is refused while the job runs, and the status says what the job waits for', async () => {
    const hold = site.hold('/held')
    const jobId = await service.submit({ urls: [`${site.url}/held`, `${site.url}/held?2`], ...fast })
    await hold.arrived()
    const early = await service.ask(`/jobs/${jobId}/results?part=1`)
    assert.equal(early.status, 409)
    const page = await results(jobId)
    assert.equal(page.complete, false)
    assert.ok(page.next_cursor)
    const { body } = await service.ask<{ progress: { in_flight: number }; estimate: { seconds: null } }>(
      `/jobs/${jobId}`,
    )
    assert.ok(body.progress.in_flight > 0)
    assert.equal(body.estimate.seconds, null)
    hold.release()
    await service.ended(jobId)
  })

  test('a job can be paused, resumed and cancelled, and an ended job cannot', async () => {
    const hold = site.hold('/slow')
    const jobId = await service.submit({ urls: [`${site.url}/slow`], ...fast })
    await hold.arrived()
    const steer = (kind: string) => service.ask(`/jobs/${jobId}/${kind}`, { method: 'POST' })
    assert.equal((await steer('pause')).body.status, 'paused')
    assert.equal((await steer('resume')).body.status, 'running')
    assert.equal((await service.ask(`/jobs/${jobId}`, { method: 'DELETE' })).status, 409)
    await steer('cancel')
    hold.release()
    assert.equal((await service.ended(jobId)).status, 'cancelled')
    assert.equal((await steer('pause')).status, 409)
    assert.equal((await service.ask(`/jobs/${jobId}`, { method: 'DELETE' })).status, 200)
    assert.equal((await service.ask(`/jobs/${jobId}`)).status, 404)
  })

  test('a retry runs the failed tasks again', async () => {
    site.fail('/flaky', 1, 404)
    const jobId = await service.submit({ urls: [`${site.url}/flaky`], ...fast })
    assert.equal((await service.ended(jobId)).status, 'failed')
    site.serve('/flaky', '<title>back</title>')
    assert.equal((await service.ask(`/jobs/${jobId}/retry`, { method: 'POST' })).status, 200)
    assert.equal((await service.ended(jobId)).status, 'completed')
    assert.equal((await results(jobId, '?status=error')).items.length, 0)
  })

  test('two requests with one idempotency key create one job, and the key with another body is refused', async () => {
    const headers = { 'idempotency-key': 'once' }
    const body = { urls: [`${site.url}/`], ...fast }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => service.ask('/jobs', { body, headers })),
    )
    assert.deepEqual([...new Set(answers.map(answer => answer.status))], [202])
    assert.equal(new Set(answers.map(answer => answer.body.job_id)).size, 1)
    const other = await service.ask('/jobs', { body: { urls: [`${site.url}/categories/lamps`] }, headers })
    assert.equal(other.status, 422)
  })

  test('jobs are listed with filters and cursors', async () => {
    for (const colour of ['red', 'blue', 'red'])
      await service.submit({ urls: [`${site.url}/`], labels: { colour }, ...fast })
    const list = async (query: string) =>
      (await service.ask<{ jobs: Array<{ job_id: string }>; next_cursor: string | null }>(`/jobs?${query}`))
        .body
    const first = await list('label=colour:red&limit=1')
    const second = await list(`label=colour:red&limit=1&cursor=${first.next_cursor}`)
    assert.equal(first.jobs.length + second.jobs.length, 2)
    assert.notEqual(first.jobs[0]?.job_id, second.jobs[0]?.job_id)
    assert.equal((await list('face=fetch')).jobs.length, 0)
    assert.equal((await service.ask('/jobs?cursor=AAAA')).status, 422)
    assert.equal(
      (await service.ask(`/jobs?created_from=${new Date(Date.now() + 60_000).toISOString()}`)).text.includes(
        '"jobs":[]',
      ),
      true,
    )
  })

  test('the event stream of a job reports its tasks and its end', async () => {
    const hold = site.hold('/watched')
    const jobId = await service.submit({ urls: [`${site.url}/watched`], ...fast })
    await hold.arrived()
    const headers = { authorization: `Bearer ${operatorKey}` }
    // When the response headers have arrived, the client will get all further events.
    const following = await fetch(`${service.url}/jobs/${jobId}/events`, { headers })
    hold.release()
    const text = await following.text()
    assert.match(following.headers.get('content-type') ?? '', /^text\/event-stream/)
    assert.match(text, /event: task\ndata: .*"url"/)
    assert.match(text, /event: status\ndata: .*"(failed|completed)"/)
  })
})
