// What is asked for here, as a job of the engine: a scrape is a job of one task, a batch a job of as many as it has targets.
import { Failure } from '../../../model/failures.ts'
import type { GivenSpec } from '../../../model/job.ts'
import { askedRenderMode, renderContradiction } from '../../../model/policy/render-mode.ts'
import { rendering } from '../../../model/policy/rendering.ts'
import { joinedId } from '../../../model/scraper-ids.ts'
import { newScrapeJobId } from '../../../pipeline/report/scrape-ids.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import { answeredWithin } from '../../task-failure.ts'
import { type BatchBody, longestTimeoutS, type ScrapeBody, type ScrapeOptions } from './schemas.ts'

/** As of the browser's own limit for one navigation. */
const longestNavigationMs = 30_000

export type CommonFields = Pick<ScrapeBody, 'workspaceId' | 'callbackUrl' | 'timeoutS' | 'options'>

export function specOf(targets: readonly ScrapeBody[], common: CommonFields, isAwaited = false): GivenSpec {
  const scraperIds = [...new Set(targets.map(({ targetType }) => targetType))]
  const { headers, extract, pii } = common.options ?? noOptions
  const isMixed = { types: scraperIds.length > 1, rendering: isRenderingMixed(targets) }
  return parseJobSpec({
    jobId: newScrapeJobId(),
    scraperId: joinedId(scraperIds),
    items: targets.map((target, index) => itemOf(target, index, isMixed)),
    // The address as it was given: its parameters are none of ours to sort.
    query: 'keep',
    ...{ headers, extract, pii },
    ...(isMixed.rendering ? {} : renderingOf(common.options)),
    webhookUrl: common.callbackUrl,
    policy: { ...policyOf(timeoutMsOf(common)), ...(isAwaited && answeredWithin(timeoutMsOf(common))) },
  })
}

const noOptions: Partial<ScrapeOptions> = {}

export const timeoutMsOf = ({ timeoutS = longestTimeoutS }: Pick<CommonFields, 'timeoutS'>): number =>
  Math.ceil(timeoutS * 1_000)

/** What is asked of the browser; in a batch, each target can ask for something else. */
function renderingOf(options: CommonFields['options']) {
  const { input: _i, headers: _h, extract: _e, pii: _p, render, ...rendering } = options ?? noOptions
  return { ...(render !== undefined && { render }), rendering }
}

const isRenderingMixed = (targets: readonly ScrapeBody[]): boolean =>
  new Set(targets.map(({ options }) => JSON.stringify(renderingOf(options)))).size > 1

/** Numbered, so that two targets with one address are two tasks. */
const itemOf = (
  { url, targetType, options }: ScrapeBody,
  index: number,
  isMixed: { types: boolean; rendering: boolean },
) => ({
  itemId: `target-${index + 1}`,
  input: { ...options?.input, ...(isMixed.types && { target_type: targetType }), url },
  ...(isMixed.rendering && { policy: policyOfTarget(options, index) }),
})

function policyOfTarget(options: CommonFields['options'], index: number) {
  const asked = renderingOf(options)
  const wanted = { ...asked, rendering: rendering.parse(asked.rendering) }
  const path = `targets[${index}].options.render`
  const contradiction = renderContradiction(wanted)
  if (contradiction !== null) throw new Failure('input.invalid', `${path}: ${contradiction}`, { path })
  const render = askedRenderMode(wanted)
  return { ...(render !== undefined && { render }), rendering: asked.rendering }
}

const policyOf = (ms: number): GivenSpec['policy'] => ({
  timeouts: { totalMs: ms, taskMs: ms },
  browser: { isolation: 'task', taskMs: ms, navigationMs: Math.min(longestNavigationMs, ms) },
})

/** Targets with the options that hold for them: their own, or the batch's. */
export const targetsOf = ({ targets, options }: BatchBody): ScrapeBody[] =>
  targets.map(target => (target.options || !options ? target : { ...target, options }))

/** A batch is one job: what is not of the browser has to be the same for all its targets, said once or with each. */
export function commonFieldsOf({ targets, ...batch }: BatchBody): CommonFields {
  const [first, ...others] = targets.map(target => said(target, batch))
  others.forEach((common, index) => {
    const other = names.find(name => textOf(common[name]) !== textOf(first![name]))
    if (other) throw differs(index + 1, other)
  })
  return first!
}

const names = ['workspaceId', 'callbackUrl', 'timeoutS', 'options'] as const

const said = (target: CommonFields, batch: CommonFields): CommonFields =>
  Object.fromEntries(names.map(name => [name, target[name] ?? batch[name]]))

/** Targets have inputs and rendering of their own. */
function textOf(value: CommonFields[keyof CommonFields]): string {
  if (value !== undefined && typeof value !== 'object') return String(value)
  const { headers = {}, extract, pii } = value ?? noOptions
  return JSON.stringify([headers, extract, pii])
}

const spelling = {
  workspaceId: 'workspace_id',
  callbackUrl: 'callback_url',
  timeoutS: 'timeout_s',
  options: 'options',
}

function differs(index: number, name: keyof CommonFields): Failure {
  const path = `targets[${index}].${spelling[name]}`
  return new Failure(
    'input.invalid',
    `${path}: not what the first target says; targets of a batch can differ in how they are rendered and in their input, so send the others as batches of their own`,
    { path },
  )
}
