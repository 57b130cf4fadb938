// Tests where secrets of a job are sent, and where they must not appear.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestSite } from '../site/index.ts'
import { TestEngine } from '../support/engine.ts'

const limit = { timeout: 120_000 }

test(
  'a header with a credential is sent to the seed’s site, and to no other site of the crawl',
  limit,
  async () => {
    await using first = await startTestSite()
    await using second = await startTestSite()
    first.serve('/start', `<a href="${second.url}/about">there</a><a href="/about">here</a>`)
    await using here = await TestEngine.open({
      settings: { allowPrivate: [`${first.host}:${first.port}`, `${second.host}:${second.port}`] },
    })
    const { counts } = await here.run({
      seedUrls: [`${first.url}/start`],
      allowedDomains: [`${second.host}:${second.port}`],
      depth: 1,
      headers: { Authorization: 'Bearer secret-one', 'X-Api-Key': 'secret-two', 'Accept-Language': 'de' },
      policy: { host: { rate: 'unlimited' } },
    })
    assert.equal(
      counts.byReason.ok !== undefined && counts.byReason.ok >= 3,
      true,
      JSON.stringify(counts.byReason),
    )
    const seen = (site: typeof first) =>
      site.requests
        .filter(({ url }) => url !== '/robots.txt')
        .map(({ headers }) => [headers.authorization, headers['x-api-key'], headers['accept-language']])
    assert.ok(seen(first).every(([one, two]) => one === 'Bearer secret-one' && two === 'secret-two'))
    assert.ok(second.requests.length >= 2)
    assert.deepEqual(new Set(seen(second).map(String)), new Set([',,de']))
    for (const site of [first, second])
      assert.ok(site.requestsTo('/robots.txt').every(({ headers }) => headers.authorization === undefined))
  },
)

test('credentials are in no task, attempt, record or notice', limit, async () => {
  await using site = await startTestSite()
  await using here = await TestEngine.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  site.fail('/jobs', 9, 500)
  const { job } = await here.run({
    urls: [`${site.url}/about`, `http://me:password-one@${site.host}:${site.port}/jobs`],
    headers: { Authorization: 'Bearer secret-one' },
    policy: { host: { rate: 'unlimited' }, retries: { attempts: 1, baseMs: 1 } },
  })
  const { store } = here.engine.data
  const tasks = await here.tasks(job.id)
  const attempts = await Promise.all(tasks.map(({ n }) => store.tasks.attempts(job.id, n)))
  const records = await store.records.list(job.id, { after: 0, limit: 10 })
  const kept = JSON.stringify([tasks, attempts, records, here.heard])
  assert.doesNotMatch(kept, /secret-one|password-one/)
})
