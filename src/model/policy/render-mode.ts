// Whether a job's pages go through a browser: what it says about it, and what it asks for that only a browser can do.
import type { JobSpec } from '../job.ts'
import type { PolicyInput, TaskOverrides } from './policy.ts'
import type { BrowserKind, RenderMode } from './rendering.ts'

/** What of a job bears on it. A job from before there was a browser says nothing of all this. */
export type RenderOptions = Partial<Pick<JobSpec, 'render' | 'rendering' | 'browser' | 'actions'>> & {
  policy?: Pick<PolicyInput, 'render'>
}

/** What only an open page can give, by the names that callers use: with any of it, no page is had plainly. */
export function optionsThatNeedPage({ rendering, actions }: RenderOptions): string[] {
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

/** What says how a browser is used, where one is. */
export function browserOptions({ rendering, browser }: RenderOptions): string[] {
  return [
    ...(rendering?.fullPage ? ['full_page'] : []),
    ...(rendering?.settleMs !== undefined ? ['settle_ms'] : []),
    ...(rendering && rendering.block.length > 0 ? ['block'] : []),
    ...(browser === 'stealth' ? ['browser: stealth'] : []),
  ]
}

/** As the job asks for; a wish for the browser is a wish for it always. Undefined where the job does not say. */
export function askedRenderMode(options: RenderOptions): RenderMode | undefined {
  const { render } = options
  if (optionsThatNeedPage(options).length > 0 || render === true) return 'always'
  if (render === undefined) return browserOptions(options).length > 0 ? 'always' : undefined
  return render === false ? 'never' : render
}

/** Why the wish contradicts itself; null where it does not. */
export function renderContradiction(options: RenderOptions): string | null {
  const named = [...optionsThatNeedPage(options), ...browserOptions(options)]
  const isNever = options.render === 'never' || options.render === false
  if (!isNever || named.length === 0) return null
  const need = named.length > 1 ? 'need' : 'needs'
  return `render is never, and ${named.join(', ')} ${need} the browser: leave out one or the other`
}

/** The job's own word, then its policy's. */
export const renderModeOf = (options: RenderOptions): RenderMode =>
  askedRenderMode(options) ?? options.policy?.render ?? 'never'

/** Of one task: what its domain or its item says where that differs from the job. */
export const taskRenderMode = (
  job: RenderMode,
  overrides: Pick<TaskOverrides, 'render'> | undefined,
): RenderMode => overrides?.render ?? job

/** Why no page of the job is had plainly, for its records; null where some may be. */
export function alwaysWhy(options: RenderOptions): string | null {
  if (renderModeOf(options) !== 'always') return null
  const asked = optionsThatNeedPage(options)
  return asked.length > 0 ? `the job asks for ${asked.join(', ')}` : 'the job renders always'
}

/** With which browser a task is rendered: what its own policy says, then the job's. */
export const browserKindOf = (
  { browser, policy }: Pick<JobSpec, 'browser' | 'policy'>,
  overrides?: TaskOverrides | undefined,
): BrowserKind => (overrides?.identity ?? policy.identity)?.browser ?? browser
