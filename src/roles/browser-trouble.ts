// Whether the jobs in hand can have the browser they need: one is found, and it loads a page.
import { renderModeOf } from '../model/policy/render-mode.ts'
import type { Desk } from '../pipeline/coordinate/desk.ts'

/** Why they can't; null when they can, or none needs one. `isUp`: a browser was started before, so that `auto` jobs use it. */
export async function browserTroubleOf(
  { jobs, lanes }: Pick<Desk, 'jobs' | 'lanes'>,
  isUp: boolean,
): Promise<string | null> {
  const inHand = [...jobs.values()].map(({ lane }) => lane)
  const lacking = inHand.find(({ noBrowser }) => noBrowser !== undefined)?.noBrowser
  if (lacking) return lacking.message
  const needsOne = inHand.some(({ spec }) => {
    const mode = renderModeOf(spec)
    return mode === 'always' || (mode === 'auto' && isUp)
  })
  if (!needsOne || !lanes.tryBrowser || (await lanes.tryBrowser())) return null
  return 'jobs need a browser, and it loads no page; `kscrape doctor` looks into it'
}
