// The command line of the load test.
import { parseArgs } from 'node:util'
import { type ProfileName, profiles } from './profiles.ts'
import { type ScenarioName, scenarioNames, usualMix } from './scenarios.ts'
import { type Threshold, thresholdOf } from './thresholds.ts'
import { UsageError } from './usage-error.ts'

export interface Options {
  url: URL
  key: string
  profile: ProfileName
  rate: number
  seconds: number
  mix: Record<ScenarioName, number>
  /** The page to fetch. Null means the demo site that the runner starts. */
  target: URL | null
  targetPort: number
  pagesPerJob: number
  thresholds: Threshold[]
  mostInFlight: number
  timeoutMs: number
  drainMs: number
  isEven: boolean
  seed: number
  reportFile: string | null
  json: boolean
  quiet: boolean
}

export const help = `npm run load -- --url URL --key KEY [flags]

Sends requests to a running service at the rate of a profile, even if earlier requests have no response yet, and reports how long callers
would have waited. Exit code: 0 if all thresholds hold, 1 if one is exceeded, 2 if the test could not run. See docs/load-testing.md.

  --url URL             the service, like http://127.0.0.1:8001
  --key KEY             a key with the scope admin; or set SCRAPER_API_KEY
  --profile NAME        ${Object.keys(profiles).join(', ')} (default smoke)
  --rate N              requests per second at the peak of the profile
  --duration TIME       duration of the whole profile: 10s, 5m, 2h
  --mix LIST            share of each scenario, like status=60,results=20,submit=10,scrape=10
  --target URL          a page to fetch, on a site that needs no rate limit (default: the demo site, which the runner starts)
  --target-port N       port of the demo site on 127.0.0.1 (default 8080); start the service with --allow-private 127.0.0.1:8080
  --pages N             pages of each submitted job (default 5)
  --threshold TEXT      like p99<500, scrape.p95<2000, errors<0.01, rate>45; repeatable; adds a threshold, or replaces the
                        profile's threshold for the same metric
  --max-in-flight N     if so many requests are in flight, count due requests as dropped instead of sending them (default 1000)
  --timeout TIME        timeout of a request (default 30s)
  --drain TIME          how long jobs may take to end after the last request (default 60s)
  --even                send requests at equal intervals instead of random times
  --seed N              seed of the random times: the same seed gives the same load (default 1)
  --report FILE         write the report to a file, as JSON
  --json                print the report as JSON on stdout
  --quiet               show no progress
  --help
`

const flags = {
  url: { type: 'string' },
  key: { type: 'string' },
  profile: { type: 'string', default: 'smoke' },
  rate: { type: 'string' },
  duration: { type: 'string' },
  mix: { type: 'string' },
  target: { type: 'string' },
  'target-port': { type: 'string', default: '8080' },
  pages: { type: 'string', default: '5' },
  threshold: { type: 'string', multiple: true, default: [] as string[] },
  'max-in-flight': { type: 'string', default: '1000' },
  timeout: { type: 'string', default: '30s' },
  drain: { type: 'string', default: '60s' },
  even: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  report: { type: 'string' },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Null if only help was requested. */
export function optionsOf(args: string[], environment: Record<string, string | undefined>): Options | null {
  const given = readFlags(args)
  if (given.help) return null
  const profile = profileOf(given.profile)
  const { rate, seconds, thresholds } = profiles[profile]
  return {
    profile,
    url: urlOf('--url', given.url),
    key: keyOf(given.key ?? environment.SCRAPER_API_KEY),
    rate: given.rate === undefined ? rate : numberOf('--rate', given.rate, 0.1),
    seconds: given.duration === undefined ? seconds : millisecondsOf('--duration', given.duration) / 1_000,
    mix: given.mix === undefined ? usualMix : mixOf(given.mix),
    target: given.target === undefined ? null : urlOf('--target', given.target),
    targetPort: numberOf('--target-port', given['target-port'], 0),
    pagesPerJob: numberOf('--pages', given.pages, 1),
    thresholds: thresholdsOf(thresholds, given.threshold),
    mostInFlight: numberOf('--max-in-flight', given['max-in-flight'], 1),
    timeoutMs: millisecondsOf('--timeout', given.timeout),
    drainMs: millisecondsOf('--drain', given.drain),
    isEven: given.even,
    seed: numberOf('--seed', given.seed, 0),
    reportFile: given.report ?? null,
    json: given.json,
    quiet: given.quiet,
  }
}

function readFlags(args: string[]) {
  try {
    return parseArgs({ args, options: flags, allowPositionals: false }).values
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; \`npm run load -- --help\` lists the flags`)
  }
}

function urlOf(flag: string, text: string | undefined): URL {
  const url = URL.parse(text ?? '')
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new UsageError(
    `${flag}: ${text === undefined ? 'give an address' : `"${text}" is not a URL`}, like ${flag} http://127.0.0.1:8001`,
  )
}

function keyOf(key: string | undefined): string {
  if (key) return key
  throw new UsageError('--key: give an API key, or set SCRAPER_API_KEY')
}

function profileOf(name: string): ProfileName {
  if (Object.hasOwn(profiles, name)) return name as ProfileName
  throw new UsageError(`--profile: there is no "${name}"; choose from ${Object.keys(profiles).join(', ')}`)
}

function numberOf(flag: string, text: string, least: number): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= least) return value
  throw new UsageError(`${flag}: "${text}" is not a number of at least ${least}`)
}

const unitsMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

function millisecondsOf(flag: string, text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  if (number !== undefined && Number(number) > 0) return Number(number) * unitsMs[unit]!
  throw new UsageError(`${flag}: "${text}" is not a duration; write 500ms, 10s, 5m or 2h`)
}

function mixOf(text: string): Options['mix'] {
  const mix = { ...usualMix }
  for (const name of scenarioNames) mix[name] = 0
  for (const part of text.split(',')) {
    const [name = '', share = ''] = part.split('=')
    if (!scenarioNames.includes(name as ScenarioName))
      throw new UsageError(`--mix: there is no "${name}"; choose from ${scenarioNames.join(', ')}`)
    mix[name as ScenarioName] = numberOf('--mix', share, 0)
  }
  if (Object.values(mix).some(share => share > 0)) return mix
  throw new UsageError('--mix: all shares are 0')
}

/** A flag replaces the profile's threshold for the same metric. */
function thresholdsOf(ofProfile: readonly string[], given: readonly string[]): Threshold[] {
  const said = given.map(text => thresholdOf(text, scenarioNames))
  const isSaid = ({ scenario, figure }: Threshold) =>
    said.some(one => one.scenario === scenario && one.figure === figure)
  return [...ofProfile.map(text => thresholdOf(text, scenarioNames)).filter(one => !isSaid(one)), ...said]
}
