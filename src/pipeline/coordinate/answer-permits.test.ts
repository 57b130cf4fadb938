// Tests permits: what a task may request beyond its first request, and when.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  openTestContext,
  settled,
  type TestContext,
  type TestContextOptions,
} from '../../../test/support/coordination.ts'
import { HostTable } from '../../dispatch/host-table.ts'
import type { JobSpecInput } from '../../model/job.ts'
import { hostPolicy } from '../../model/policy/policy.ts'
import type { PermitRequest } from '../../ports/permits.ts'
import { answerPermits } from './answer-permits.ts'

const quick = { policy: { rate: 'unlimited' } } as const

async function openWith(spec: JobSpecInput, options: TestContextOptions = quick) {
  const here = await openTestContext(options)
  const job = await here.adopt(spec)
  const ask = (url: string, purpose: PermitRequest['purpose'] = 'hop', n = 1) =>
    answerPermits(here.context)({ jobId: job.id, n, url, purpose })
  return { ...here, job, ask }
}

const crawl = { seedUrls: ['https://a.example/1', 'https://a.example/2'] }

test('a redirect inside the scope gets one permit, and no second one', async () => {
  await using here = await openWith(crawl)
  await here.ask('https://a.example/new')
  await here.ask('https://a.example/new', 'hop', 1)
  await assert.rejects(here.ask('https://a.example/new', 'hop', 2), { code: 'duplicate.redirect' })
})

test('if a redirect leads to a page that the job already has, the answer names the task of that page', async () => {
  await using here = await openWith(crawl)
  await assert.rejects(here.ask('https://a.example/2#part'), { code: 'duplicate.redirect', message: /\.2$/ })
})

test('a redirect out of scope ends the task, and the message names the rule', async () => {
  await using here = await openWith(crawl)
  await assert.rejects(here.ask('https://b.example/'), {
    code: 'scope.redirected-out',
    message: /host b\.example/,
  })
})

test('a list follows redirects to any host, and drops no row because of a redirect', async () => {
  await using here = await openWith({ urls: ['https://a.example/1', 'https://a.example/2'] })
  await here.ask('https://b.example/x', 'hop', 1)
  await here.ask('https://b.example/x', 'hop', 2)
  await here.ask('https://a.example/2', 'hop', 1)
})

test('robots.txt of a redirect target is fetched first and obeyed', async () => {
  await using here = await openWith({ urls: ['https://a.example/1'] })
  here.robots.set('https://b.example', 'User-agent: *\nDisallow: /private')
  await here.ask('https://b.example/open')
  await assert.rejects(here.ask('https://b.example/private'), { code: 'robots.disallowed' })
  assert.deepEqual(here.robotsAsked, ['https://b.example'])
})

test('a job that ignores robots.txt does not fetch it', async () => {
  await using here = await openWith({ urls: ['https://a.example/1'], policy: { robots: 'ignore' } })
  await here.ask('https://b.example/open')
  assert.deepEqual(here.robotsAsked, [])
})

test('a host policy can ignore robots.txt, unless the job requires it', async () => {
  const policy = { rate: 'unlimited', robots: 'ignore' } as const
  await using here = await openWith({ urls: ['https://a.example/1'] }, { policy })
  await here.ask('https://b.example/open')
  assert.deepEqual(here.robotsAsked, [])
  await using strict = await openWith(
    { urls: ['https://a.example/1'], policy: { robots: 'obey' } },
    { policy },
  )
  await strict.ask('https://b.example/open')
  assert.deepEqual(strict.robotsAsked, ['https://b.example'])
})

test('no kind of request to a host on the do-not-crawl list gets a permit', async () => {
  await using here = await openWith(
    { urls: ['https://a.example/1'] },
    { ...quick, denyHosts: ['*.b.example'] },
  )
  for (const purpose of ['hop', 'extra', 'robots'] as const)
    await assert.rejects(here.ask('https://www.b.example/', purpose), { code: 'host.denied' })
})

/** Returns a function that returns true once the promise has resolved. */
function watch(promise: Promise<unknown>): () => boolean {
  let isDone = false
  void promise.then(() => {
    isDone = true
  })
  return () => isDone
}

async function advance({ clock }: Pick<TestContext, 'clock'>, ms: number): Promise<void> {
  clock.advance(ms)
  await settled()
}

test('each further request waits for its slot at the host', async () => {
  await using here = await openWith(
    { urls: ['https://a.example/1'], policy: { robots: 'ignore' } },
    { policy: { rate: 1 } },
  )
  await here.ask('https://b.example/1', 'extra')
  const second = watch(here.ask('https://b.example/2', 'extra'))
  await advance(here, 999)
  assert.equal(second(), false)
  await advance(here, 1)
  assert.equal(second(), true)
})

test('a permit for another process expires, and the next slot starts one delay after the expiry', async () => {
  await using here = await openWith(
    { urls: ['https://a.example/1'], policy: { robots: 'ignore' } },
    { policy: { rate: 10 } },
  )
  here.useRemoteWorkers()
  assert.deepEqual(await here.ask('https://b.example/1', 'extra'), { heldMs: 0, goodForMs: 20 })
  const next = here.ask('https://b.example/2', 'extra')
  const isAnswered = watch(next)
  await advance(here, 119)
  assert.equal(isAnswered(), false)
  await advance(here, 1)
  assert.deepEqual(await next, { heldMs: 120, goodForMs: 20 })
})

test('if a permit arrives too late, the next permit is valid for longer', async () => {
  await using here = await openWith(
    { urls: ['https://a.example/1'], policy: { robots: 'ignore' } },
    { policy: { rate: 0.1 } },
  )
  here.useRemoteWorkers()
  const ask = (lapsed: number, host: string) =>
    answerPermits(here.context)({
      jobId: here.job.id,
      n: 1,
      url: `https://${host}/`,
      purpose: 'extra',
      lapsed,
    })
  const good = [await ask(0, 'b.example'), await ask(1, 'c.example'), await ask(2, 'd.example')]
  assert.deepEqual(
    good.map(({ goodForMs }) => goodForMs),
    [500, 2_000, 5_000],
  )
})

test('a permit that is requested during a crawl does not wait behind all planned tasks', async () => {
  const urls = Array.from({ length: 200 }, (_, at) => `https://b.example/${at}`)
  await using here = await openWith(
    { urls, policy: { robots: 'ignore' } },
    { policy: { rate: 10, concurrency: 8, robots: 'ignore' } },
  )
  const { context, clock } = here
  let planned = 0
  const plan = () => {
    for (const claim of context.dispatcher.plan(clock.now(), 100).claims) {
      planned += claim.limit
      context.dispatcher.used(claim, claim.limit)
      for (const at of claim.starts)
        context.hosts.finished(claim.host, { startedAt: at, endedAt: at }, clock.now())
    }
  }
  plan()
  const isAnswered = watch(here.ask('https://b.example/again', 'extra'))
  for (let ms = 0; ms < 2_000 && !isAnswered(); ms += 10) {
    plan()
    await advance(here, 10)
  }
  assert.ok(planned > 1)
  assert.equal(isAnswered(), true)
})

test('a task’s third request may wait as long as the longest accepted crawl delay', async () => {
  await using here = await openWith(
    { urls: ['https://a.example/1'], policy: { robots: 'ignore' } },
    { policy: { rate: 1 / 30 } },
  )
  here.useRemoteWorkers()
  for (const path of ['one', 'two', 'three']) {
    const answer = here.ask(`https://b.example/${path}`, 'extra')
    const isAnswered = watch(answer)
    for (let second = 0; second < 40 && !isAnswered(); second += 1) await advance(here, 1_000)
    assert.equal((await answer).goodForMs! > 0, true)
  }
})

test('a redirect of robots.txt needs a slot at its target, but no robots.txt of that target', async () => {
  await using here = await openWith({ urls: ['https://a.example/1'] }, { policy: { rate: 1 } })
  await here.ask('https://b.example/robots.txt', 'robots')
  const second = watch(here.ask('https://b.example/robots.txt', 'robots'))
  await advance(here, 500)
  assert.equal(second(), false)
  await advance(here, 500)
  assert.equal(second(), true)
  assert.deepEqual(here.robotsAsked, [])
})

test('if a host is not free for a long time, the task returns to pending with the time of its next slot', async () => {
  await using here = await openWith({ urls: ['https://a.example/1'], policy: { robots: 'ignore' } })
  here.context.hosts.pause('b.example', here.clock.now() + 600_000, 'by hand')
  await assert.rejects(here.ask('https://b.example/', 'extra'), {
    code: 'host.not-now',
    details: { host: 'b.example', reason: 'paused', retryAfterMs: 600_000 },
  })
})

test('the stored state of a host from an earlier run applies to redirects too', async () => {
  await using here = await openWith({ urls: ['https://a.example/1'], policy: { robots: 'ignore' } })
  const asked = new HostTable({ policyFor: () => hostPolicy.parse({}) })
  const now = here.clock.now()
  const throttled = {
    startedAt: now,
    endedAt: now,
    failure: 'host.throttled',
    retryAfterMs: 300_000,
  } as const
  asked.extraEnded('b.example', throttled, now)
  await here.context.store.commit({
    owner: 'earlier',
    settlements: [],
    discovered: [],
    hosts: asked.takeDirty(),
  })
  await assert.rejects(here.ask('https://b.example/'), {
    code: 'host.not-now',
    details: { host: 'b.example', reason: 'retry-after', retryAfterMs: 300_000 },
  })
})

test('the wait for a slot ends when the process stops', async () => {
  await using here = await openWith(
    { urls: ['https://a.example/1'], policy: { robots: 'ignore' } },
    { policy: { rate: 1 } },
  )
  await here.ask('https://b.example/1', 'extra')
  const waiting = here.ask('https://b.example/2', 'extra')
  here.stop.abort()
  await assert.rejects(waiting, { code: 'worker.stopping' })
})

test('a deleted job gets no permit', async () => {
  await using here = await openWith({ urls: ['https://a.example/1'] })
  here.context.jobs.clear()
  await assert.rejects(here.ask('https://a.example/2'), { code: 'worker.stopping' })
})

test('a resource of a rendered page waits for a slot of its host, but is not checked against scope and robots.txt', async () => {
  await using here = await openWith(crawl, { policy: { rate: 1 }, denyHosts: ['ads.example'] })
  here.robots.set('https://cdn.example', 'User-agent: *\nDisallow: /')
  await here.ask('https://cdn.example/app.js', 'part')
  assert.deepEqual(here.robotsAsked, [])
  let isThere = false
  const second = here.ask('https://cdn.example/more.js', 'part').then(() => {
    isThere = true
  })
  await settled()
  assert.equal(isThere, false, 'the rate of the host applies')
  here.clock.advance(1_000)
  await second
  await assert.rejects(here.ask('https://ads.example/x.js', 'part'), { code: 'host.denied' })
})

test('a redirect inside a browser is checked like any redirect, and waits for no slot', async () => {
  await using here = await openWith(crawl, { policy: { rate: 1 } })
  await here.ask('https://a.example/new', 'landing')
  await here.ask('https://a.example/newer', 'landing')
  await assert.rejects(here.ask('https://a.example/2', 'landing'), { code: 'duplicate.redirect' })
  await assert.rejects(here.ask('https://b.example/', 'landing'), { code: 'scope.redirected-out' })
})
