// Seed 002 (an earlier specification): tests that the plain body {"url", "target_type"} returns what a browser shows.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { eventually } from '../support/eventually.ts'
import { ScrapeApi, type ShownTask } from '../support/scrape-api.ts'
import { type TemporaryFile, temporaryFile } from '../support/temporary-file.ts'

/** A page whose server sends a placeholder, and whose script then loads the data of a company. */
const application = `<!doctype html><html><head><title>Loading…</title></head>
<body><div id="root"><p>Loading…</p></div><script>
setTimeout(() => {
  document.title = 'Kestrel Lamps'
  document.getElementById('root').innerHTML = '<header><img class="logo" alt="Kestrel Lamps"></header>' +
    '<main><h1>About Kestrel Lamps</h1><p>Kestrel makes lamps by hand since 1952, in a small town by the sea.</p>' +
    '<a href="mailto:hello@kestrel.example">Write to us</a></main>'
}, 100)
</script></body></html>`

const plainPage = `<!doctype html><title>Plain</title><main><h1>Plain</h1><p>${'All of it is here. '.repeat(40)}</p></main>`

/** A profile whose summary is loaded when the page is scrolled. */
const profile = `<!doctype html><html><head><title>Ada Example - Engineer - Kestrel | LinkedIn</title></head><body><main>
<h1 class="top-card-layout__title">Ada Example</h1><h2 class="top-card-layout__headline">Engineer</h2>
<div style="height:4000px">${'Posts and more. '.repeat(50)}</div><div id="end"></div></main><script>
addEventListener('scroll', () => {
  document.getElementById('end').innerHTML =
    '<section data-section="summary"><div class="core-section-container__content">Builds engines.</div></section>'
}, { once: true })
</script></body></html>`

describe('a scrape returns what a browser shows', () => {
  let api: ScrapeApi
  let rendered: TestSite
  let policies: TemporaryFile
  before(async () => {
    rendered = await startTestSite()
    const place = `${rendered.host}:${rendered.port}`
    // Both sites are on this machine, and the policy applies to one of them.
    policies = await temporaryFile(
      'policies.yaml',
      `default: { rate: unlimited, concurrency: 4 }\nlocalhost: { render: always }\n`,
    )
    api = await ScrapeApi.open({
      settings: { domainPolicies: policies.path, allowPrivate: [place, `localhost:${rendered.port}`] },
    })
    for (const site of [api.site, rendered]) {
      site.serve('/app', application)
      site.serve('/plain', plainPage)
      site.serve('/profile', profile)
    }
    await api.meet(rendered)
  })
  after(async () => {
    await api?.[Symbol.asyncDispose]()
    await rendered?.[Symbol.asyncDispose]()
    await policies?.[Symbol.asyncDispose]()
  })

  const sync = async (body: Record<string, unknown>) => (await api.ask<ShownTask>('/sync', { body })).body

  /** The fetch mode of each record. */
  const waysOf = async (jobId: string) => {
    const { text } = await api.service.ask(`/jobs/${jobId}/export`)
    return text
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as { _page: { item_id: string; way: string } })._page)
  }

  test('a page that is filled by scripts is rendered without any option', async () => {
    const { data } = await sync({ url: `${api.site.url}/app`, target_type: 'company_website' })
    assert.equal(data.status, 'completed')
    assert.equal(data.result?.company_name, 'Kestrel Lamps')
    assert.equal(data.result?.contact_email, 'hello@kestrel.example')
  })

  test('linkedin_profile renders the page and scrolls, so that the summary loads', async () => {
    const { data, error } = await sync({ url: `${rendered.url}/profile`, target_type: 'linkedin_profile' })
    assert.equal(error, null)
    assert.deepEqual([data.result?.name, data.result?.summary], ['Ada Example', 'Builds engines.'])
  })

  test('render: false returns the page as the server sends it, and is refused together with browser options', async () => {
    const body = { url: `${api.site.url}/plain`, target_type: 'page' }
    const { data } = await sync({ ...body, options: { render: false } })
    assert.equal(data.result?.title, 'Plain')
    const refused = await api.ask('/sync', { body: { ...body, options: { render: false, scroll: true } } })
    assert.equal(refused.status, 422)
  })

  test('the policy of a domain decides that its pages are rendered, unless the job says otherwise', async () => {
    const url = `http://localhost:${rendered.port}/plain`
    const way = async (options?: object) => {
      const { data } = await sync({ url, target_type: 'page', ...(options && { options }) })
      return (await waysOf(data.job_id))[0]?.way
    }
    assert.equal(await way(), 'browser')
    assert.equal(await way({ render: false }), 'http')
  })

  test('one batch can mix plain and rendered targets, each with its own options', async () => {
    const { job_id, task_ids } = await api.batch([
      { url: `${api.site.url}/plain`, target_type: 'page', options: { render: false } },
      { url: `${api.site.url}/app`, target_type: 'company_website', options: { wait_for: 'main' } },
      { url: `${api.site.url}/app`, target_type: 'company_website' },
    ])
    await eventually('the batch', async () => (await api.job(job_id)).progress.completed === 3)
    const tasks = await Promise.all(task_ids.map(id => api.task(id)))
    assert.deepEqual(
      tasks.map(({ status, result }) => [status, result?.company_name ?? result?.title]),
      [
        ['completed', 'Plain'],
        ['completed', 'Kestrel Lamps'],
        ['completed', 'Kestrel Lamps'],
      ],
    )
    const ways = Object.fromEntries((await waysOf(job_id)).map(({ item_id, way }) => [item_id, way]))
    assert.deepEqual(ways, { 'target-1': 'http', 'target-2': 'browser', 'target-3': 'browser' })
  })
})
