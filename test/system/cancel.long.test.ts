// Tests that cancelling a job aborts its requests and browser pages, and frees their seats.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'

interface Status {
  status: string
  results: Array<{ status: string; html_content: string | null; error_message: string | null }>
}

/** There are more links than seats: some pages hang, and the other links wait for a seat. */
const links = 4
const hungPages = {
  'never answer': '/silent',
  'loop endlessly': '/loop',
  'wait endlessly for a script': '/needs-silent',
}

/** On a busy machine, a link may wait too long for a seat and fail before the job is cancelled. */
const endsOfCancelledPages = ['job.cancelled', 'pool.exhausted']

describe('cancelling a job whose pages hang', () => {
  let site: TestSite
  let service: TestService
  before(async () => {
    site = await startTestSite()
    site.serve('/good', '<title>good</title><p>The seats are free again.</p>')
    site.serve('/loop', '<p>loop</p><script>fetch("/looping").then(() => { for (;;); })</script>')
    site.serve('/needs-silent', '<p>waits</p><script src="/silent"></script>')
    service = await TestService.open({
      settings: {
        ...{ lanes: 1, rate: 'unlimited', browserPoolSize: 2 },
        allowPrivate: [`${site.host}:${site.port}`],
      },
    })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const statusOf = async (jobId: string): Promise<Status> =>
    (await service.ask<Status>(`/fetch/status/${jobId}`)).body

  const start = async (urls: string[]): Promise<string> => {
    const { body, text } = await service.ask<{ job_id: string }>('/fetch/start', { body: { links: urls } })
    assert.ok(body.job_id, text)
    return body.job_id
  }

  for (const [name, path] of Object.entries(hungPages))
    test(`when the job is cancelled, pages that ${name} are closed, and their seats serve the next job`, async () => {
      using held = site.hold(path === '/loop' ? '/looping' : '/silent')
      const jobId = await start(Array.from({ length: links }, (_, n) => `${site.url}${path}?n=${n}`))
      await held.arrived()
      if (path === '/loop') held.release()
      await service.ask(`/fetch/cancel/${jobId}`, { method: 'POST' })
      await service.ended(jobId)
      const { status, results } = await statusOf(jobId)
      assert.equal(status, 'cancelled')
      assert.deepEqual(
        results.map(one => one.status),
        Array.from({ length: links }, () => 'error'),
      )
      const { store } = service.service.engine.data
      for (let n = 1; n <= links; n++)
        for (const { outcome } of await store.tasks.attempts(jobId, n))
          assert.ok(
            endsOfCancelledPages.includes(outcome),
            `${outcome}, which is not the end of a cancelled page`,
          )

      const next = await start([`${site.url}/good`])
      await service.ended(next)
      assert.match((await statusOf(next)).results[0]?.html_content ?? '', /seats are free again/)
    })
})
