// Tests the load runner: when requests are due, how times are summarized, and whether its report agrees with a real service.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { arrivals, byChance, evenly, seeded } from '../../load/arrivals.ts'
import { Latencies } from '../../load/histogram.ts'
import { optionsOf } from '../../load/options.ts'
import { profiles, stagesOf } from '../../load/profiles.ts'
import { send } from '../../load/send.ts'
import { Service } from '../../load/service.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { operatorKey, TestService } from '../support/service.ts'
import { root } from './rendered.ts'

test('a calculated percentile is within two percent of the exact value, for any latencies', () => {
  const latencies = fc.array(fc.double({ min: 0.1, max: 100_000, noNaN: true }), {
    minLength: 1,
    maxLength: 300,
  })
  fc.assert(
    fc.property(latencies, fc.constantFrom(0.5, 0.9, 0.99, 1), (all, share) => {
      const summed = new Latencies()
      for (const ms of all) summed.add(ms)
      const exact = all.sort((one, other) => one - other)[Math.ceil(share * all.length) - 1]!
      assert.ok(Math.abs(summed.atMostMs(share) - exact) <= exact * 0.02 + 0.001)
    }),
  )
})

test('as many requests are due as the stages of the profile say, in order, even while the rate rises or falls', () => {
  const rate = fc.double({ min: 0, max: 200, noNaN: true })
  const stages = fc.array(fc.record({ seconds: fc.integer({ min: 1, max: 20 }), from: rate, to: rate }), {
    minLength: 1,
    maxLength: 4,
  })
  fc.assert(
    fc.property(stages, all => {
      const times = [...arrivals(all, evenly)]
      const whole = all.reduce((sum, { seconds, from, to }) => sum + (seconds * (from + to)) / 2, 0)
      // The last request may be due exactly at the end, and sums of fractions are rounded.
      assert.ok(Math.abs(times.length - whole) <= 1 + 1e-6, `${times.length} of ${whole}`)
      assert.ok(times.every((at, index) => index === 0 || at >= times[index - 1]!))
    }),
    {
      examples: [
        [
          [
            { seconds: 2, from: 2 ** -47, to: 0 },
            { seconds: 1, from: 200, to: 0 },
          ],
        ],
      ],
    },
  )
})

test('a profile with random times has as many requests as one with even times, and the same seed gives the same times', () => {
  const stages = stagesOf('steady', 50, 100)
  const times = [...arrivals(stages, byChance(seeded(7)))]
  assert.ok(Math.abs(times.length - 4_750) < 350, String(times.length))
  assert.deepEqual([...arrivals(stages, byChance(seeded(7)))], times)
})

test('every profile is complete, and its thresholds can be checked', () => {
  for (const [name, { shape }] of Object.entries(profiles)) {
    assert.ok(Math.abs(shape.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-9, name)
    assert.ok(optionsOf(['--url', 'http://h', '--key', 'k', '--profile', name], {}))
  }
})

test('the error for a wrong option names the flag and the remedy', () => {
  const refused = (...flags: string[]) =>
    assert.throws(() => optionsOf([...usual, ...flags], {}), /^Error: --/)
  const usual = ['--url', 'http://127.0.0.1:8001', '--key', 'k']
  refused('--profile', 'storm')
  refused('--rate', 'many')
  refused('--duration', 'long')
  refused('--mix', 'status=60,browse=40')
  refused('--threshold', 'p98<5')
  refused('--threshold', 'browse.p99<5')
  assert.throws(() => optionsOf(['--url', 'http://h'], {}), /SCRAPER_API_KEY/)
})

test('the latency of a request is measured from the time when it was due, even if the service stalls', async () => {
  // The server responds only after all requests have arrived. The first request waits longest, and later requests are still sent
  // on time.
  const held: Array<() => void> = []
  const server = createServer((_request, response) => {
    held.push(() => response.end('{}'))
    if (held.length === 10) for (const answer of held) answer()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  using service = new Service({ url, key: 'k', timeoutMs: 20_000 })
  const world = {
    service,
    target: url,
    run: 'r',
    pagesPerJob: 1,
    random: () => 0,
    jobs: ['job'],
    accepted: 0,
  }
  const times = Array.from({ length: 10 }, (_, n) => n * 20)
  const sent = await send(
    world,
    { arrivals: times, choose: () => 'status', mostInFlight: 100, progress: () => {} },
    new AbortController().signal,
  )
  server.close()
  assert.deepEqual([sent.due, sent.dropped, sent.all.count, sent.all.failed], [10, 0, 10, 0])
  // A runner that waits for each response would send one request and never reach this number. Timers may fire slightly early.
  assert.ok(sent.all.latency.maxMs >= 175, String(sent.all.latency.maxMs))
})

describe('against a real service', () => {
  let site: TestSite
  let service: TestService
  before(async () => {
    site = await startTestSite()
    service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await site.close()
  })

  const load = async (...flags: string[]) => {
    const program = [join(root, 'load/main.ts'), '--url', service.url, '--target', `${site.url}/about`]
    const run = promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', ...program, '--json', '--quiet', ...flags],
      { env: { ...process.env, SCRAPER_API_KEY: operatorKey } },
    )
    return run.then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    )
  }

  /** The number of responses by route, as the service counted them. */
  const answersOf = async (method: string, route: string): Promise<number> => {
    const { text } = await service.ask('/metrics')
    const lines = text.split('\n').filter(line => line.startsWith('kscrape_http_answers_total'))
    const own = lines.filter(line => line.includes(`method="${method}",route="${route}"`))
    return own.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }

  test('the report counts the requests that the service received, and no job is lost', async () => {
    const { code, stdout, stderr } = await load(
      '--rate',
      '30',
      '--duration',
      '2s',
      '--threshold',
      'p99<20000',
    )
    assert.equal(code, 0, stderr + stdout)
    const { scenarios, ...report } = JSON.parse(stdout)
    const { status, results, submit, scrape } = scenarios
    assert.deepEqual([report.passed, report.failed, report.dropped, report.jobs.lost], [true, 0, 0, 0])
    assert.equal(report.due, report.answered)
    assert.equal(status.answered + results.answered + submit.answered + scrape.answered, report.answered)
    assert.equal(await answersOf('GET', '/jobs/:jobId/results'), results.answered)
    assert.equal(await answersOf('POST', '/api/v1/scrape/sync'), scrape.answered)
    // The runner creates one job before the first request.
    assert.equal(await answersOf('POST', '/jobs'), submit.answered + 1)
    assert.equal(report.jobs.accepted, submit.answered)
    assert.deepEqual(report.jobs.by_state, submit.answered > 0 ? { completed: submit.answered } : {})
    assert.equal(site.requestsTo('/about').length, scrape.answered + 5 * (submit.answered + 1))
    const { p50, p99, max } = report.latency_ms
    assert.ok(p50 > 0 && p50 <= p99 && p99 <= max)
  })

  test('a violated threshold gives exit code 1, and the report names it', async () => {
    const { code, stdout } = await load(
      ...['--rate', '20', '--duration', '500ms', '--mix', 'status=1', '--threshold', 'p50<0.001'],
      // The default threshold is too strict for a machine that runs other tests.
      ...['--threshold', 'p99<20000'],
    )
    const { passed, thresholds } = JSON.parse(stdout)
    assert.deepEqual([code, passed], [1, false])
    const broken = thresholds.filter(({ ok }: { ok: boolean }) => !ok)
    assert.deepEqual(
      broken.map(({ text }: { text: string }) => text),
      ['p50<0.001'],
    )
  })

  test('if the service refuses the key, no load is sent, and the exit code is 2', async () => {
    const { code, stderr } = await load('--key', 'a-key-that-nobody-has')
    assert.equal(code, 2)
    assert.match(stderr, /the rate limit of .* could not be removed \(401 request.unauthorized\)/)
  })
})
