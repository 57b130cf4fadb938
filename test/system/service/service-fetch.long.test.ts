// Tests the fetch API of a running service: it takes links and returns rendered HTML, through the stealth browser.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { TestService } from '../../support/service.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'

interface Started {
  job_id: string
  status: string
  status_url: string
  warnings?: Array<{ field: string; message: string }>
}

interface Status {
  job_id: string
  status: string
  results: Array<{
    url: string
    status: 'success' | 'error'
    html_content: string | null
    error_message: string | null
    error_type: string | null
  }>
  next_cursor?: string | null
}

describe('the fetch API', () => {
  let site: TestSite
  let service: TestService
  let receiver: WebhookReceiver
  before(async () => {
    site = await startTestSite()
    receiver = await WebhookReceiver.open()
    const allowPrivate = [`${site.host}:${site.port}`, receiver.place]
    service = await TestService.open({ settings: { allowPrivate, rate: 'unlimited' } })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  async function start(body: Record<string, unknown>): Promise<Started> {
    const answer = await service.ask<Started>('/fetch/start', { body })
    assert.equal(answer.status, 202, answer.text)
    return answer.body
  }

  const statusOf = async (jobId: string, query = ''): Promise<Status> =>
    (await service.ask<Status>(`/fetch/status/${jobId}${query}`)).body

  test('all links are rendered, results have the order of the links, and failed links have their error', async () => {
    site.serve('/late', '<title>late</title><script>document.title = "made " + "by script"</script>')
    const links = [`${site.url}/late`, `${site.url}/nowhere`, `${site.url}/late`, `${site.url}/about#part`]
    const started = await start({ links, options: { concurrency_limit: 2 } })
    assert.equal(started.status, 'pending')
    assert.equal(started.status_url, `${service.url}/fetch/status/${started.job_id}`)
    assert.equal(started.warnings, undefined)
    await service.ended(started.job_id)

    const status = await statusOf(started.job_id)
    assert.equal(status.status, 'partially_completed')
    assert.deepEqual(
      status.results.map(({ url }) => url),
      links,
    )
    const [late, nowhere, again] = status.results
    assert.match(late?.html_content ?? '', /<title>made by script<\/title>/)
    assert.deepEqual([late?.status, late?.error_message, late?.error_type], ['success', null, null])
    assert.deepEqual(
      [nowhere?.status, nowhere?.html_content, nowhere?.error_type],
      ['error', null, 'HttpNotFoundError'],
    )
    assert.equal(again?.status, 'success')
    assert.equal(status.next_cursor, undefined)

    const { body } = await service.ask<{ jobs: Array<{ job_id: string }> }>('/jobs?face=fetch')
    assert.ok(body.jobs.some(job => job.job_id === started.job_id))
  })

  test('a call of /fetch counts as consent to stealth, and the receipt of the job says so', async () => {
    const { job_id: jobId } = await start({ links: [`${site.url}/about`] })
    await service.ended(jobId)
    const job = await service.service.engine.data.store.jobs.get(jobId)
    assert.equal(job?.spec.browser, 'stealth')
    assert.equal(job?.spec.policy.browser.isolation, 'task')
    assert.equal(job?.spec.concurrency, 5)
    const notes = await service.service.engine.data.store.conduct.notes(jobId)
    assert.deepEqual(
      notes.map(({ what }) => what),
      ['stealth'],
    )
  })

  test('a key without the stealth scope is refused, and the message says that /fetch needs it', async () => {
    const body = { links: [`${site.url}/about`] }
    const refused = await service.ask<{ error: { message: string } }>('/fetch/start', {
      body,
      key: await service.key({ scopes: ['read', 'submit'] }),
    })
    assert.equal(refused.status, 403)
    assert.match(refused.body.error.message, /^\/fetch uses the stealth browser: .*scope "stealth"/)
    const key = await service.key({ scopes: ['read', 'submit', 'stealth'] })
    const { status, body: started } = await service.ask<Started>('/fetch/start', { body, key })
    assert.equal(status, 202)
    await service.ended(started.job_id)
  })

  test('no more pages are open at the same time than the limit allows', async () => {
    const others = await Promise.all([startTestSite(), startTestSite()])
    await using all = new AsyncDisposableStack()
    for (const other of others) all.use(other)
    const sites = [site, ...others]
    const holds = sites.map(each => each.hold('/held'))
    await using wide = await TestService.open({
      settings: { allowPrivate: sites.map(each => `${each.host}:${each.port}`), browserPoolSize: 4 },
    })
    const links = sites.map(each => `${each.url}/held`)
    const body = { links, options: { concurrency_limit: 2 } }
    const { body: started } = await wide.ask<Started>('/fetch/start', { body })
    let arrived = 0
    await new Promise<void>(resolve => {
      for (const hold of holds) void hold.arrived().then(() => ++arrived === 2 && resolve())
    })
    const status = await wide.ask<{ progress: { in_flight: number } }>(`/jobs/${started.job_id}/status`)
    assert.equal(status.body.progress.in_flight, 2)
    assert.equal(sites.filter(each => each.requestsTo('/held').length > 0).length, 2)
    for (const hold of holds) hold.release()
    await wide.ended(started.job_id)
  })

  test('cookies and storage of one link are not visible to the next link', async () => {
    site.serve(
      '/remember',
      '<body><script>document.body.append(document.cookie || "nothing known"); document.cookie = "seen=1; path=/"</script>',
    )
    const { job_id: jobId } = await start({
      links: [`${site.url}/remember`, `${site.url}/remember?again`],
      options: { concurrency_limit: 1 },
    })
    await service.ended(jobId)
    for (const { html_content: html } of (await statusOf(jobId)).results)
      assert.match(html ?? '', /nothing known/)
  })

  test('a page stays open after loading for a time between wait_min and wait_max', async () => {
    site.serve(
      '/ticking',
      '<body><p id="t">0</p><script>const began = performance.now(); setInterval(() => { document.getElementById("t").textContent = Math.round(performance.now() - began) }, 20)</script>',
    )
    const { job_id: jobId } = await start({
      links: [`${site.url}/ticking`],
      options: { wait_min: 2.9, wait_max: 3.1 },
    })
    await service.ended(jobId)
    const [result] = (await statusOf(jobId)).results
    assert.ok(
      // On a busy machine, the timers of the page run late, so the expected time is much shorter than `wait_min`.
      Number(/<p id="t">(\d+)/.exec(result?.html_content ?? '')?.[1]) >= 1_200,
      result?.html_content ?? '',
    )
    const job = await service.service.engine.data.store.jobs.get(jobId)
    assert.deepEqual(job?.spec.rendering.waitFor, { minMs: 2_900, maxMs: 3_100 })
  })

  test('warnings name options that the service changed: headless, and a concurrency above the limit', async () => {
    const started = await start({
      links: [`${site.url}/about`],
      headless: false,
      options: { headless: true, concurrency_limit: 50 },
    })
    assert.deepEqual(
      started.warnings?.map(({ field }) => field),
      ['headless', 'options.headless', 'options.concurrency_limit'],
    )
    const job = await service.service.engine.data.store.jobs.get(started.job_id)
    assert.equal(job?.spec.concurrency, 20)
    await service.ended(started.job_id)
  })

  test('the error for an unsupported option names the field', async () => {
    const links = [`${site.url}/about`]
    const refused: Array<[body: Record<string, unknown>, status: number, field: string]> = [
      [{ links, options: { proxies: ['http://p.example:3128', 'ftp://x'] } }, 422, 'options.proxies[1]'],
      [{ links, options: { proxies: ['http://127.0.0.1:3128'] } }, 403, 'options.proxies'],
      [{ links, options: { wait_min: 3, wait_max: 1 } }, 422, 'options.wait_min'],
      [{ links, options: { wait_min: -1 } }, 422, 'options.wait_min'],
      [{ links, options: { concurrency_limit: 0 } }, 422, 'options.concurrency_limit'],
      [{ links, options: { timeout: 3 } }, 422, 'options.timeout'],
      [{ links: [] }, 422, 'links'],
      [{ links: ['not a url'] }, 422, 'links[0]'],
      [{ links: [...links, 'http://169.254.169.254/'] }, 403, 'links[1]'],
      [{ links, options: { webhook_url: 'http://127.0.0.1:1/' } }, 403, 'options.webhook_url'],
      [{ links, s3_endpoint: 'http://169.254.169.254' }, 422, 's3_endpoint'],
      [{}, 422, 'links'],
    ]
    for (const [body, status, field] of refused) {
      const answer = await service.ask<{ error: { field: string; message: string } }>('/fetch/start', {
        body,
      })
      assert.deepEqual([answer.status, answer.body.error.field], [status, field], answer.text)
    }
    const none = await start({ links, options: { proxies: [], wait_min: null } })
    await service.ask(`/fetch/cancel/${none.job_id}`, { method: 'POST' })
  })

  test('a cancelled job shows its links as cancelled, and jobs of other keys and other APIs are not found', async () => {
    const hold = site.hold('/held')
    const { job_id: jobId } = await start({
      links: [`${site.url}/held`, `${site.url}/about`],
      options: { concurrency_limit: 1 },
    })
    await hold.arrived()
    const cancelled = await service.ask<Started>(`/fetch/cancel/${jobId}`, { method: 'POST' })
    assert.equal(cancelled.status, 200)
    hold.release()
    await service.ended(jobId)
    const { status, results } = await statusOf(jobId)
    assert.equal(status, 'cancelled')
    assert.equal(results.at(-1)?.error_type, 'JobCancelledError')

    const other = await service.key({ workspace: 'elsewhere' })
    assert.equal((await service.ask(`/fetch/status/${jobId}`, { key: other })).status, 404)
    const plain = await service.submit({ urls: [`${site.url}/about`] })
    assert.equal((await service.ask(`/fetch/status/${plain}`)).status, 404)
    assert.equal((await service.ask('/fetch/status/nowhere')).status, 404)
    assert.equal((await service.ask(`/fetch/cancel/${plain}`, { method: 'POST' })).status, 404)
  })

  async function toldOf(jobId: string): Promise<Status & { summary: Record<string, unknown> }> {
    for (let count = 1; ; count += 1) {
      const bodies = (await receiver.has(count)).map(({ body }) => JSON.parse(body))
      const found = bodies.find(body => body.job_id === jobId)
      if (found) return found
    }
  }

  const outcomes = ({ results }: Status) => results.map(result => result.error_type ?? result.status)

  test('the webhook of /fetch has the same pages, failures and skipped links as the status, in the same order', async () => {
    const paths = ['/nowhere', '/about', '/private/x', '/about']
    const { job_id: jobId } = await start({
      links: paths.map(path => `${site.url}${path}`),
      options: { webhook_url: receiver.url },
    })
    const { summary, ...told } = await toldOf(jobId)
    assert.deepEqual(told, await statusOf(jobId))
    assert.deepEqual(outcomes(told), ['HttpNotFoundError', 'success', 'RobotsDisallowedError', 'success'])
    assert.match(told.results[1]?.html_content ?? '', /<title>/)
    assert.equal(summary.tasks, 4)
  })

  test('the webhook of a cancelled job names the links that were not fetched', async () => {
    const hold = site.hold('/held')
    const { job_id: jobId } = await start({
      links: [`${site.url}/about`, `${site.url}/held`, `${site.url}/about`],
      options: { concurrency_limit: 1, webhook_url: receiver.url },
    })
    await hold.arrived()
    await service.ask(`/fetch/cancel/${jobId}`, { method: 'POST' })
    hold.release()
    const { summary: _, ...told } = await toldOf(jobId)
    assert.deepEqual(told, await statusOf(jobId))
    assert.equal(told.status, 'cancelled')
    assert.deepEqual(outcomes(told), ['success', 'JobCancelledError', 'JobCancelledError'])
  })

  test('pages that are too long for a webhook are left out, and the webhook says where they are', async () => {
    site.serve('/long', `<title>long</title><p>${'word '.repeat(900_000)}</p>`)
    const { job_id: jobId } = await start({
      links: [`${site.url}/long`],
      options: { webhook_url: receiver.url },
    })
    const { results, summary } = await toldOf(jobId)
    assert.equal(results, null)
    assert.match(String(summary.results_left_out), new RegExp(`GET /fetch/status/${jobId} has them`))
  })

  test('results of many links are returned page by page, each once', async () => {
    const links = Array.from({ length: 5 }, (_, index) => `${site.url}/about?n=${index}`)
    const { job_id: jobId } = await start({ links })
    await service.ended(jobId)
    const seen: string[] = []
    for (let query = '?limit=2'; ; ) {
      const page = await statusOf(jobId, query)
      seen.push(...page.results.map(({ url }) => url))
      if (page.next_cursor === null) break
      query = `?limit=2&cursor=${page.next_cursor}`
    }
    assert.deepEqual(seen, links)
  })
})
