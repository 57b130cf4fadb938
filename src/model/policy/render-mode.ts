// Decides whether a job's pages use a browser: by its render mode, and by options that need one.
import type { JobSpec } from '../job.ts'
import type { PolicyInput, TaskOverrides } from './policy.ts'
import type { BrowserKind, RenderMode } from './rendering.ts'

/** The options of a job that decide about the browser. Old jobs have none of them. */
export type RenderOptions = Partial<Pick<JobSpec, 'render' | 'rendering' | 'browser' | 'actions'>> & {
  policy?: Pick<PolicyInput, 'render'>
}

/** The public names of the job's options that need an open page. If one of them is set, every page uses the browser. */
function optionsThatNeedPage({ rendering, actions }: RenderOptions): string[] {
  return [
    ...(rendering?.screenshot ? ['screenshot'] : []),
    ...(rendering?.pdf ? ['pdf'] : []),
    ...(rendering?.mobile ? ['mobile'] : []),
    ...(rendering?.waitFor !== undefined ? ['wait_for'] : []),
    ...(rendering?.scroll ? ['scroll'] : []),
    ...(rendering?.js !== undefined ? ['js'] : []),
    ...(actions && actions.length > 0 ? ['actions'] : []),
  ]
}

/** The public names of the options that are set in the job and say how a browser is used. */
function browserOptions({ rendering, browser }: RenderOptions): string[] {
  return [
    ...(rendering?.fullPage ? ['full_page'] : []),
    ...(rendering?.settleMs !== undefined ? ['settle_ms'] : []),
    ...(rendering && rendering.block.length > 0 ? ['block'] : []),
    ...(browser === 'stealth' ? ['browser: stealth'] : []),
  ]
}

/** The render mode that follows from the options of the job. Options that need a browser imply `always`. Undefined if no option
 *  decides. */
export function askedRenderMode(options: RenderOptions): RenderMode | undefined {
  const { render } = options
  if (optionsThatNeedPage(options).length > 0 || render === true) return 'always'
  if (render === undefined) return browserOptions(options).length > 0 ? 'always' : undefined
  return render === false ? 'never' : render
}

/** Why the options contradict each other; null if there is no contradiction. */
export function renderContradiction(options: RenderOptions): string | null {
  const named = [...optionsThatNeedPage(options), ...browserOptions(options)]
  const isNever = options.render === 'never' || options.render === false
  if (!isNever || named.length === 0) return null
  const need = named.length > 1 ? 'need' : 'needs'
  return `render is never, but ${named.join(', ')} ${need} the browser: leave one of them out`
}

/** The job's render mode. If unset, the mode of its policy. */
export const renderModeOf = (options: RenderOptions): RenderMode =>
  askedRenderMode(options) ?? options.policy?.render ?? 'never'

/** The render mode of one task: the mode of its item or domain. If unset, the mode of the job. */
export const taskRenderMode = (
  job: RenderMode,
  overrides: Pick<TaskOverrides, 'render'> | undefined,
): RenderMode => overrides?.render ?? job

/** Why every page uses the browser, as text for records; null if some pages may not use it. */
export function alwaysWhy(options: RenderOptions): string | null {
  if (renderModeOf(options) !== 'always') return null
  const asked = optionsThatNeedPage(options)
  return asked.length > 0 ? `the job asks for ${asked.join(', ')}` : 'the job renders always'
}

/** The kind of browser of a task: from the task's identity policy, else the job's identity policy, else the job's `browser`. */
export const browserKindOf = (
  { browser, policy }: Pick<JobSpec, 'browser' | 'policy'>,
  overrides?: TaskOverrides | undefined,
): BrowserKind => (overrides?.identity ?? policy.identity)?.browser ?? browser
