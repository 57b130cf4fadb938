// Kills and stops kscrape serve under load. Every accepted job must exist once and end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../../../src/client.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.ts'
import { type Running, Workplace } from '../run-cli.ts'

const apiKey = 'the-key-of-these-tests'
const unlimited = { host: { rate: 'unlimited' as const, concurrency: 20 } }

interface Served {
  running: Running
  url: string
}

/** With `port`, the restarted service uses the same port. */
async function serve(place: Workplace, site: TestSite, port = 0): Promise<Served> {
  const args = ['serve', '--port', String(port), '--json', '--allow-private', `${site.host}:${site.port}`]
  const running = place.start(args, { env: { SCRAPER_API_KEY: apiKey, SCRAPER_LANES: '0' } })
  const greeting = () =>
    running
      .stderr()
      .split('\n')
      .find(line => line.includes('"url"'))
  await Promise.race([
    eventually('the service prints its address', () => greeting() !== undefined),
    running.ended.then(({ stderr }) => Promise.reject(new Error(`serve ended: ${stderr}`))),
  ])
  return { running, url: JSON.parse(greeting()!).url as string }
}

test('if the service is killed twice, fifty clients that retry find each of their jobs once', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open({ warm: false })
  const port = await freePort()
  let served = await serve(place, site, port)
  const made = new Map<string, string>()
  const isOver = new AbortController()
  const client = new Client({ server: served.url, apiKey, retries: 100 })
  const clients = Array.from({ length: 50 }, async (_, number) => {
    for (let n = 0; !isOver.signal.aborted; n += 1) {
      const name = `c${number}-${n}`
      const job = { urls: [`${site.url}/?${name}`], policy: unlimited, labels: { name } }
      made.set(name, (await client.jobs.create(job)).jobId)
    }
  })
  for (const wanted of [100, 200]) {
    await eventually(`${wanted} jobs were accepted`, () => made.size >= wanted)
    served.running.child.kill('SIGKILL')
    await served.running.ended
    served = await serve(place, site, port)
  }
  await eventually('the clients continue', () => made.size >= 300)
  isOver.abort()
  await Promise.all(clients)

  const found = await Array.fromAsync(client.jobs.list({ pageSize: 1_000 }))
  assert.deepEqual(found.map(({ labels, jobId }) => [labels.name, jobId]).sort(), [...made].sort())
  served.running.child.kill('SIGTERM')
  assert.equal((await served.running.ended).code, 0)
})

test('after SIGTERM under load the service ends in time, nothing is lost, and the next start continues', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open({ warm: false })
  const first = await serve(place, site)
  const client = new Client({ server: first.url, apiKey })
  const urls = (job: number) => Array.from({ length: 200 }, (_, n) => `${site.url}/?job=${job}&n=${n}`)
  const jobs = await Promise.all(
    [1, 2, 3].map(job => client.jobs.create({ urls: urls(job), policy: unlimited })),
  )
  await eventually(
    'it is in the middle of it',
    async () => (await client.jobs.get(jobs[0]!.jobId)).counts.records > 20,
  )
  first.running.child.kill('SIGTERM')
  assert.equal((await first.running.ended).code, 0)

  using left = place.database()
  const held = left.prepare('SELECT count(*) AS held FROM leases').get()
  assert.equal(held?.held, 0)

  const second = await serve(place, site)
  const again = new Client({ server: second.url, apiKey })
  for (const { jobId } of jobs) {
    const { status, counts } = await again.jobs.wait(jobId)
    assert.deepEqual([status, counts.records], ['completed', 200])
    const results = await Array.fromAsync(again.jobs.results(jobId))
    assert.equal(new Set(results.map(({ url }) => url)).size, 200)
  }
  second.running.child.kill('SIGTERM')
  assert.equal((await second.running.ended).code, 0)
})
