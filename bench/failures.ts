// How soon do callers learn that a site fails, and do bad targets slow good ones down? --rounds 3
import { parseArgs } from 'node:util'
import { startTestSite } from '../test/site/index.ts'
import { refusingHost, silentHost, slowToConnectHost } from '../test/support/failing-hosts.ts'
import { TestService } from '../test/support/service.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, written } from './measuring/statistics.ts'

const { values: flags } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } })
const rounds = Number(flags.rounds)
/** The timeout of callers of a single page in this measurement. */
const timeoutS = 10
/** The highest accepted ratio: the time of good targets beside bad ones, divided by their time alone. */
const mostSlower = 1.5
const goodPages = 70
const badPages = 30

await using opened = new AsyncDisposableStack()
const good = opened.use(await startTestSite())
const ill = opened.use(await startTestSite())
const refusing = opened.use(await refusingHost())
const silent = opened.use(await silentHost())
const slow = opened.use(await slowToConnectHost())
const placeOf = (url: string) => new URL(url).host
const allowPrivate = [good, ill, refusing, silent, slow].map(({ url }) => placeOf(url))
const service = opened.use(
  await TestService.open({ settings: { allowPrivate, rate: '50/s' }, logLevel: 'info' }),
)
good.serve('/fine', '<title>Fine</title><p>A page like others.</p>')
ill.fail('/throttled', 10_000, 429, { 'retry-after': '600' })

const situations: Record<string, string> = {
  'a good page': `${good.url}/fine`,
  'no such host': 'http://no-such-host.invalid/',
  'connection refused': `${refusing.url}/`,
  'never answers': `${silent.url}/`,
  'connections do not open': `${slow.url}/`,
  captcha: `${good.url}/wall/captcha`,
  '429 for ten minutes': `${ill.url}/throttled`,
}

async function answerOf(url: string): Promise<{ ms: number; told: string }> {
  const startedAt = performance.now()
  const body = { url, target_type: 'page', timeout_s: timeoutS }
  const answer = await service.ask<{ error: { code: string } | null }>('/api/v1/scrape/sync', { body })
  return {
    ms: performance.now() - startedAt,
    told: `${answer.status} ${answer.body.error?.code ?? ''}`.trim(),
  }
}

/** The time from the submission to the last good page. */
async function goodMsOf(bad: string[]): Promise<number> {
  const urls = Array.from({ length: goodPages }, (_, at) => `${good.url}/fine?${performance.now()}-${at}`)
  bad.forEach((url, at) => void urls.splice(at * 2, 0, url))
  const startedAt = performance.now()
  const jobId = await service.submit({ urls, policy: { timeouts: { connect_ms: 2_000, headers_ms: 2_000 } } })
  for (;;) {
    const { body } = await service.ask<{ counts: { by_state: { succeeded: number } } }>(
      `/jobs/${jobId}/status`,
    )
    if (body.counts.by_state.succeeded >= goodPages) break
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  const ms = performance.now() - startedAt
  await service.ask(`/jobs/${jobId}/cancel`, { method: 'POST' })
  return ms
}

const rows: string[][] = []
for (const [situation, url] of Object.entries(situations)) {
  const answers = []
  for (let round = 0; round < rounds; round++) answers.push(await answerOf(url))
  const ms = median(answers.map(answer => answer.ms))
  if (ms > (timeoutS + 2) * 1_000) process.exitCode = 1
  rows.push([situation, answers[0]!.told, answers.at(-1)!.told, written(ms)])
}
const bad = [refusing, silent, slow].flatMap(({ url }) =>
  Array.from({ length: badPages / 3 }, (_, at) => `${url}/${at}`),
)
const alone: number[] = []
const beside: number[] = []
for (let round = 0; round < rounds; round++) {
  alone.push(await goodMsOf([]))
  beside.push(await goodMsOf(bad))
}
const slower = median(beside) / median(alone)
if (slower > mostSlower) process.exitCode = 1
console.log(`${today()}, ${machine()}, load ${loadNow()} at the end; ${rounds} rounds, timeout_s ${timeoutS}

${markdownTable(['situation', 'first answer', 'last answer', 'median ms'], rows)}

${goodPages} good pages alone: ${written(median(alone))} ms; beside ${badPages} bad ones: ${written(median(beside))} ms, ${written(slower, 2)} times as long (target: at most ${mostSlower})`)
