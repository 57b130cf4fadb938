// Tests which fetch mode a task gets, from its job, its earlier attempts and similar pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContext, settled, type TestContext } from '../../../test/support/coordination.ts'
import type { JobSpecInput } from '../../model/job.ts'
import { failedReport } from '../work/task-report.ts'
import { learnWay } from './choose-fetch-mode.ts'
import { releaseTasks } from './release-tasks.ts'
import { commitReports } from './settle/commit-reports.ts'

const quick = { policy: { rate: 'unlimited', concurrency: 50 } } as const
const urls = Array.from({ length: 6 }, (_, index) => `https://a.example/app/${index}`)

async function released(here: TestContext) {
  await releaseTasks(here.context, 100)
  await settled()
  return { plain: await here.sent(), rendered: await here.sentToBrowser() }
}

async function openWith(spec: JobSpecInput) {
  const here = await openTestContext(quick)
  const job = await here.adopt({ urls, policy: { robots: 'ignore' }, ...spec })
  return { ...here, job }
}

test('by default a job renders no page; a job with a screenshot renders all pages', async () => {
  await using never = await openWith({})
  assert.equal((await released(never)).plain.length, 6)

  await using always = await openWith({ rendering: { screenshot: true } })
  const { plain, rendered } = await released(always)
  assert.deepEqual([plain.length, rendered.length], [0, 6])
  assert.equal(rendered[0]?.wayWhy, 'the job asks for screenshot')
})

test('sitemaps are always fetched without a browser', async () => {
  await using here = await openTestContext(quick)
  await here.adopt({
    sitemapUrl: 'https://a.example/sitemap.xml',
    render: 'always',
    policy: { robots: 'ignore' },
  })
  const { plain, rendered } = await released(here)
  assert.deepEqual([plain.length, rendered.length], [1, 0])
})

test('with render mode auto, a task is fetched by HTTP first, and moves to the browser with the reason', async () => {
  await using here = await openWith({ render: 'auto' })
  const { plain } = await released(here)
  assert.ok(plain.every(task => task.mayAskBrowser))
  const needed = { code: 'render.needed', message: 'needs it', details: { why: '#app is empty' } } as const
  await commitReports(here.context, [{ ...failedReport(plain[0]!, null, 0), failure: needed }])

  const { rendered } = await released(here)

  assert.deepEqual(
    rendered.map(({ n, attempt, charged, wayWhy }) => [n, attempt, charged, wayWhy]),
    [[1, 2, 0, '#app is empty']],
  )
})

test('pages similar to pages that needed a browser go to the browser directly; if the browser adds nothing, such pages use HTTP', async () => {
  await using here = await openWith({ render: 'auto' })
  const [task] = (await released(await openWith({ render: 'auto' }))).plain
  const learn = (change: object) =>
    learnWay(here.context, here.job, task!, { ...failedReport(task!, null, 0), ...change })
  const needed = { code: 'render.needed', message: '' } as const
  for (let i = 0; i < 2; i++) learn({ failure: needed })
  const straight = await released(here)
  assert.equal(straight.rendered.length, 6)
  assert.match(straight.rendered[0]!.wayWhy!, /similar pages \(a\.example\/app\/\*\) needed a browser/)

  for (let i = 0; i < 3; i++) learn({ failure: null, rendering: 'in-vain' })
  await here.adopt({ urls, render: 'auto', jobId: 'second', policy: { robots: 'ignore' } })
  const { plain } = await released(here)
  assert.equal(plain.length, 6)
  assert.ok(plain.every(({ mayAskBrowser }) => !mayAskBrowser))
})

const noBrowser = { code: 'browser.missing', message: 'there is none' } as const

test('if the service has no browser, tasks that need one fail at once, and take no slot of their host', async () => {
  await using here = await openWith({ render: 'always' })
  Object.assign(here.job, { noBrowser })
  const { refused } = await releaseTasks(here.context, 100)
  assert.deepEqual(
    refused.map(({ failure }) => failure?.code),
    urls.map(() => 'browser.missing'),
  )
  assert.equal(here.context.hosts.view('a.example', here.clock.now())?.inFlight ?? 0, 0)
})

test('if the service has no browser, auto uses HTTP for all tasks, even for tasks sent to a browser earlier', async () => {
  await using here = await openWith({ render: 'auto' })
  Object.assign(here.job, { noBrowser })
  const { plain } = await released(here)
  assert.deepEqual([plain.length, plain[0]?.mayAskBrowser], [6, undefined])
})
