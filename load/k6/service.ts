// The same load with k6, from several machines: docs/load-testing.md.
//   k6 run --env URL=https://kscrape.example --env KEY=… --env TARGET=https://site.example/page [--env PROFILE=steady] load/k6/service.ts
import { check, fail, sleep } from 'k6'
import exec from 'k6/execution'
import http, { type Params } from 'k6/http'
import type { Options } from 'k6/options'
import { type ProfileName, profiles, stagesOf } from '../profiles.ts'
import { type ScenarioName, scenarioNames, usualMix } from '../scenarios.ts'

const url = __ENV.URL ?? 'http://127.0.0.1:8001'
const key = __ENV.KEY ?? ''
const target = __ENV.TARGET ?? 'http://127.0.0.1:8080/about'
const name = __ENV.PROFILE ?? 'smoke'
const profile = Object.hasOwn(profiles, name) ? (name as ProfileName) : fail(`there is no profile "${name}"`)
const { rate, seconds, thresholds } = profiles[profile]
const whole = scenarioNames.reduce((sum, scenario) => sum + usualMix[scenario], 0)

/** Uses arrival rates instead of waiting users, so requests continue even if the service stalls. */
function scenarioOf(scenario: ScenarioName) {
  const share = usualMix[scenario] / whole
  const stages = stagesOf(profile, rate * share, seconds)
  return {
    ...({ executor: 'ramping-arrival-rate', exec: scenario, timeUnit: '1s' } as const),
    ...{ preAllocatedVUs: 50, maxVUs: 1_000, startRate: Math.round(stages[0]?.from ?? 0) },
    stages: stages.map(stage => ({
      duration: `${stage.seconds}s`,
      target: Math.max(1, Math.round(stage.to)),
    })),
  }
}

/** Our thresholds in the syntax of k6. Only our own runner checks for lost jobs. */
function thresholdsOf(texts: readonly string[]): Record<string, string[]> {
  const own: Record<string, string[]> = {}
  for (const text of texts) {
    const [, scenario, figure = '', bound = ''] = /^(?:(\w+)\.)?([a-z]+\d*)(<.+)$/.exec(text) ?? []
    const of = scenario ? `{scenario:${scenario}}` : ''
    if (figure === 'errors') own[`http_req_failed${of}`] = [`rate${bound}`]
    else if (figure === 'dropped') own.dropped_iterations = [`count${bound}`]
    else if (figure.startsWith('p')) own[`http_req_duration${of}`] = [`p(${figure.slice(1)})${bound}`]
  }
  return own
}

export const options: Options = {
  scenarios: Object.fromEntries(scenarioNames.map(scenario => [scenario, scenarioOf(scenario)])),
  thresholds: thresholdsOf(thresholds),
}

const params = (name: string): Params => ({
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  // One line in the report for each kind of request, not one for each job.
  tags: { name },
  timeout: '30s',
})

const pageOf = (n: number | string): string => `${target}?load=${n}`

interface World {
  jobId: string
}

/** Removes the limits of the site, and submits a job to read. */
export function setup(): World {
  const host = target.split('/')[2] ?? ''
  http.put(
    `${url}/hosts/${encodeURIComponent(host)}/policy`,
    JSON.stringify({ rate: 'unlimited', concurrency: 1_000 }),
    params('set pace'),
  )
  const answer = http.post(`${url}/jobs`, JSON.stringify({ urls: [pageOf('first')] }), params('first job'))
  if (answer.status !== 202) fail(`the first job was answered with ${answer.status}`)
  const jobId = String(answer.json('job_id'))
  for (let tries = 0; tries < 60; tries += 1) {
    const state = http.get(`${url}/jobs/${jobId}/status`, params('first job')).json('status')
    if (state === 'completed') return { jobId }
    sleep(1)
  }
  return fail(`the first job, ${jobId}, did not end within a minute`)
}

export function status({ jobId }: World): void {
  const answer = http.get(`${url}/jobs/${jobId}/status`, params('status'))
  check(answer, { 'is answered': ({ status }) => status === 200 })
}

export function results({ jobId }: World): void {
  const answer = http.get(`${url}/jobs/${jobId}/results?limit=20`, params('results'))
  check(answer, { 'is answered': ({ status }) => status === 200 })
}

export function submit(): void {
  const n = exec.scenario.iterationInTest
  const urls = [1, 2, 3, 4, 5].map(page => pageOf(`${n}-${page}`))
  const answer = http.post(`${url}/jobs`, JSON.stringify({ urls, labels: { load: 'k6' } }), params('submit'))
  check(answer, { 'is accepted': ({ status }) => status === 202 })
}

export function scrape(): void {
  const body = JSON.stringify({ url: pageOf(exec.scenario.iterationInTest), target_type: 'page' })
  const answer = http.post(`${url}/api/v1/scrape/sync`, body, params('scrape'))
  check(answer, { 'has a page': ({ status }) => status === 200 })
}
