// Turns a scrape into a job with one task, and a batch into a job with one task per target.
import { Failure } from '../../../model/failures.ts'
import type { GivenSpec } from '../../../model/job.ts'
import { askedRenderMode, renderContradiction } from '../../../model/policy/render-mode.ts'
import { rendering } from '../../../model/policy/rendering.ts'
import { joinedId } from '../../../model/scraper-ids.ts'
import { newScrapeJobId } from '../../../pipeline/report/scrape-ids.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import { answeredWithin } from '../../task-failure.ts'
import { type BatchBody, longestTimeoutS, type ScrapeBody, type ScrapeOptions } from './schemas.ts'

/** The longest timeout of a browser navigation. */
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
    // The caller gave the exact URL, so the order of its query parameters stays.
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

/** The browser options. In a batch, each target can have different ones. */
function renderingOf(options: CommonFields['options']) {
  const { input: _i, headers: _h, extract: _e, pii: _p, render, ...rendering } = options ?? noOptions
  return { ...(render !== undefined && { render }), rendering }
}

const isRenderingMixed = (targets: readonly ScrapeBody[]): boolean =>
  new Set(targets.map(({ options }) => JSON.stringify(renderingOf(options)))).size > 1

/** Items are numbered, so that two targets with the same URL are two tasks. */
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

/** Each target with its effective options: the target's own options, or the options of the batch. */
export const targetsOf = ({ targets, options }: BatchBody): ScrapeBody[] =>
  targets.map(target => (target.options || !options ? target : { ...target, options }))

/** The options of a batch, which is one job. All targets must have the same options, except input and rendering. The caller
 *  sets options for the batch, or for each target. */
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

/** Text that is equal for equal options. Input and rendering are left out, because targets may differ in them. */
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
    `${path}: differs from the first target; targets of a batch may differ only in rendering and input, so send the others as separate batches`,
    { path },
  )
}
