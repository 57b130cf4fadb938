// Rendering as a job asks for it: what contradicts itself is refused before anything runs.
import { Failure } from '../model/failures.ts'
import type { JobSpec } from '../model/job.ts'
import { mannerWishes, pageWishes, renderModeOf } from '../model/policy/render-mode.ts'

/** The spec with `render` as it is meant. */
export function plannedRendering(spec: JobSpec): JobSpec {
  const { render, rendering } = spec
  const wishes = [...pageWishes(spec), ...mannerWishes(spec)]
  if ((render === 'never' || render === false) && wishes.length > 0)
    throw refused(
      'render',
      `render is never, and ${wishes.join(', ')} ${wishes.length > 1 ? 'need' : 'needs'} the browser: leave out one or the other`,
    )
  if (rendering.fullPage && !rendering.screenshot)
    throw refused('rendering.full_page', 'full_page says how a screenshot is made, and none is asked for')
  return { ...spec, render: renderModeOf(spec) }
}

const refused = (path: string, message: string): Failure =>
  new Failure('input.invalid', `the job can't be accepted: ${message}`, { path })
