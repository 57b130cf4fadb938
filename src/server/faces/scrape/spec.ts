// What is asked for here, as a job of the engine: a scrape is a job of one task, a batch a job of as many as it has targets.
import { Failure } from '../../../model/failures.ts'
import type { GivenSpec } from '../../../model/job.ts'
import { joinedId } from '../../../model/scraper-ids.ts'
import { newScrapeJobId } from '../../../pipeline/report/scrape-ids.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import { answeredWithin } from '../../task-failure.ts'
import { type BatchBody, longestTimeoutS, type ScrapeBody, type ScrapeOptions } from './schemas.ts'

/** As of the browser's own limit for one navigation. */
const longestNavigationMs = 30_000

export type Manner = Pick<ScrapeBody, 'workspaceId' | 'callbackUrl' | 'timeoutS' | 'options'>

export function specOf(targets: readonly ScrapeBody[], manner: Manner, isAwaited = false): GivenSpec {
  const scraperIds = [...new Set(targets.map(({ targetType }) => targetType))]
  const { input: _input, render, headers, extract, pii, ...rendering } = manner.options ?? noOptions
  return parseJobSpec({
    jobId: newScrapeJobId(),
    scraperId: joinedId(scraperIds),
    items: targets.map((target, index) => itemOf(target, index, scraperIds.length > 1)),
    // The address as it was given: its parameters are none of ours to sort.
    query: 'keep',
    ...{ render, headers, extract, pii, rendering },
    webhookUrl: manner.callbackUrl,
    policy: { ...policyOf(timeoutMsOf(manner)), ...(isAwaited && answeredWithin(timeoutMsOf(manner))) },
  })
}

const noOptions: Partial<ScrapeOptions> = {}

export const timeoutMsOf = ({ timeoutS = longestTimeoutS }: Pick<Manner, 'timeoutS'>): number =>
  Math.ceil(timeoutS * 1_000)

/** Numbered, so that two targets with one address are two tasks. */
const itemOf = ({ url, targetType, options }: ScrapeBody, index: number, isMixed: boolean) => ({
  itemId: `target-${index + 1}`,
  input: { ...options?.input, ...(isMixed && { target_type: targetType }), url },
})

const policyOf = (ms: number): GivenSpec['policy'] => ({
  timeouts: { totalMs: ms, taskMs: ms },
  browser: { isolation: 'task', taskMs: ms, navigationMs: Math.min(longestNavigationMs, ms) },
})

/** A batch is one job: how it is done has to be the same for all its targets, said once or with each. */
export function mannerOf({ targets, ...batch }: BatchBody): Manner {
  const [first, ...others] = targets.map(target => said(target, batch))
  others.forEach((manner, index) => {
    const other = names.find(name => textOf(manner[name]) !== textOf(first![name]))
    if (other) throw differs(index + 1, other)
  })
  return first!
}

const names = ['workspaceId', 'callbackUrl', 'timeoutS', 'options'] as const

const said = (target: Manner, batch: Manner): Manner =>
  Object.fromEntries(names.map(name => [name, target[name] ?? batch[name]]))

/** Rows have inputs of their own. */
function textOf(value: Manner[keyof Manner]): string {
  if (typeof value !== 'object') return String(value)
  const { input: _input, ...shared } = value
  return JSON.stringify(shared)
}

const spelling = {
  workspaceId: 'workspace_id',
  callbackUrl: 'callback_url',
  timeoutS: 'timeout_s',
  options: 'options',
}

function differs(index: number, name: keyof Manner): Failure {
  const path = `targets[${index}].${spelling[name]}`
  return new Failure(
    'input.invalid',
    `${path}: not what the first target says; a batch is done in one way, so send targets that differ in it as batches of their own`,
    { path },
  )
}
