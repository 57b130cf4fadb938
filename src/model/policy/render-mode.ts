// Decides whether a job's pages use a browser: by its render mode, and by options that need one.
import type { JobSpec } from '../job.ts'
import type { PolicyInput, TaskOverrides } from './policy.ts'
import type { BrowserKind, RenderMode } from './rendering.ts'

/** The options of a job that decide about the browser. Old jobs have none of them. */
export type RenderOptions = Partial<Pick<JobSpec, 'render' | 'rendering' | 'browser' | 'actions'>> & {
  policy?: Pick<PolicyInput, 'render'>
}

/** The options of the job that need an open page, by their public names. With one of them, every page uses the browser. */
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

/** The options of the job that say how a browser is used, by their public names. Only options that are set. */
function browserOptions({ rendering, browser }: RenderOptions): string[] {
  return [
    ...(rendering?.fullPage ? ['full_page'] : []),
    ...(rendering?.settleMs !== undefined ? ['settle_ms'] : []),
    ...(rendering && rendering.block.length > 0 ? ['block'] : []),
    ...(browser === 'stealth' ? ['browser: stealth'] : []),
  ]
}

/** The render mode that the options of the job mean. Options that need a browser mean `always`. Undefined if no option decides. */
export function askedRenderMode(options: RenderOptions): RenderMode | undefined {
  const { render } = options
  if (optionsThatNeedPage(options).length > 0 || render === true) return 'always'
  if (render === undefined) return browserOptions(options).length > 0 ? 'always' : undefined
  return render === false ? 'never' : render
}

/** Why the options contradict each other; null if they do not. */
export function renderContradiction(options: RenderOptions): string | null {
  const named = [...optionsThatNeedPage(options), ...browserOptions(options)]
  const isNever = options.render === 'never' || options.render === false
  if (!isNever || named.length === 0) return null
  const need = named.length > 1 ? 'need' : 'needs'
  return `render is never, but ${named.join(', ')} ${need} the browser: leave one of them out`
}

/** The job's mode, else its policy's. */
export const renderModeOf = (options: RenderOptions): RenderMode =>
  askedRenderMode(options) ?? options.policy?.render ?? 'never'

/** The render mode of one task: the mode of its item or domain if set, else the job's. */
export const taskRenderMode = (
  job: RenderMode,
  overrides: Pick<TaskOverrides, 'render'> | undefined,
): RenderMode => overrides?.render ?? job

/** Why every page uses the browser, for records; null if not every page does. */
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
