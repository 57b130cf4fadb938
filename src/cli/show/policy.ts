// Prints the policy of a job: first the values that the job sets, then the spent budget, then the defaults.
import { formatBytes, formatDuration } from '../../lib/text/units.ts'
import type { PolicyReport, PolicyValue } from '../../pipeline/report/policy-report.ts'

export function policyLines({ values, limits, spent }: PolicyReport): string[] {
  const said = values.filter(({ from }) => from !== 'default')
  const defaults = values.filter(({ from }) => from === 'default')
  const spentText = [
    `${spent.pages} pages${ofLimit(limits.pages)}`,
    `${formatBytes(spent.bytes)}${ofLimit(limits.bytes, formatBytes)}`,
    `${formatDuration(Math.round(spent.browserSeconds) * 1_000)} in browsers${ofLimit(limits.browserSeconds, seconds)}`,
    `${spent.money.toFixed(2)} of money${ofLimit(limits.money)}`,
  ]
  return [
    `spent: ${spentText.join(', ')}`,
    ...(said.length > 0 ? ['set for this job:', ...said.map(value => `  ${valueLine(value)}`)] : []),
    'defaults:',
    ...defaults.map(value => `  ${valueLine(value)}`),
  ]
}

const ofLimit = (limit: number | undefined, shown: (amount: number) => string = String): string =>
  limit === undefined ? '' : ` of ${shown(limit)}`

const seconds = (amount: number): string => formatDuration(amount * 1_000)

/** A line such as `retries.attempts: 5 (job)`. */
const valueLine = ({ path, value, from }: PolicyValue): string =>
  `${path}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)} (${from})`
