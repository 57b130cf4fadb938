// Checks that a scraper's policy is polite enough.
import { problemsOf } from '../../lib/text/problems.ts'
import { givenPolicy, type PolicyInput } from '../../model/policy/policy.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import type { Check } from './certificates.ts'

/** Requests per second. A higher rate needs the consent of the site's owner, so only a job may set it. */
const highestRate = 10
const highestConcurrency = 8
const mostRetries = 10
const longestTotalMs = 600_000
const longestTaskMs = 3_600_000

export function checkPolicy({ policy = {} }: Scraper): Check {
  const wrong = [...misspelt(policy), ...unkind(policy)]
  if (wrong.length > 0) return { name: 'policy', passed: false, note: wrong.join('; ') }
  const rate = policy.host?.rate
  return {
    name: 'policy',
    passed: true,
    note: rate === undefined ? 'the default pace' : `${rate} requests a second to a host`,
  }
}

function misspelt(policy: PolicyInput): string[] {
  const parsed = givenPolicy.safeParse(policy)
  return parsed.success
    ? []
    : problemsOf(parsed.error).map(problem => `policy.${problem.path}: ${problem.message}`)
}

function unkind({ host, robots, retries, timeouts }: PolicyInput): string[] {
  const limits: Array<[boolean, string]> = [
    [
      host?.rate === 'unlimited' || Number(host?.rate ?? 0) > highestRate,
      `host.rate is above ${highestRate} a second`,
    ],
    [Number(host?.concurrency ?? 1) > highestConcurrency, `host.concurrency is above ${highestConcurrency}`],
    [Number(host?.burst ?? 1) > highestRate, `host.burst is above ${highestRate}`],
    [robots === 'ignore', 'robots.txt is ignored; only a job may set that'],
    [Number(retries?.attempts ?? 0) > mostRetries, `retries.attempts is above ${mostRetries}`],
    [
      timeouts?.totalMs === 0 || Number(timeouts?.totalMs ?? 0) > longestTotalMs,
      'timeouts.totalMs is longer than allowed',
    ],
    [
      timeouts?.taskMs === 0 || Number(timeouts?.taskMs ?? 0) > longestTaskMs,
      'timeouts.taskMs is longer than allowed',
    ],
  ]
  return limits.filter(([isWrong]) => isWrong).map(([, what]) => what)
}
