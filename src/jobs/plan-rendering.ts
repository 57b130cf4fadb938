// Rendering as a job asks for it: what contradicts itself is refused before anything runs.
import { Failure } from '../model/failures.ts'
import type { GivenSpec, JobSpec } from '../model/job.ts'
import { askedRenderMode, renderContradiction, renderModeOf } from '../model/policy/render-mode.ts'

/** The spec with its own word on `render` in its policy too, so that the policy's layers know who said it. */
export function withRenderPolicy(given: GivenSpec): GivenSpec {
  const render = askedRenderMode(given)
  const said = given.policy.render
  if (render === undefined) return given
  if (said !== undefined && said !== render)
    throw refused('policy.render', `policy.render is ${said}, and the job itself asks for ${render}`)
  return { ...given, policy: { ...given.policy, render } }
}

/** The spec with `render` as it is meant. */
export function plannedRendering(spec: JobSpec): JobSpec {
  const { rendering } = spec
  const contradiction = renderContradiction(spec)
  if (contradiction !== null) throw refused('render', contradiction)
  if (rendering.fullPage && !rendering.screenshot)
    throw refused('rendering.full_page', 'full_page says how a screenshot is made, and none is asked for')
  return { ...spec, render: renderModeOf(spec) }
}

const refused = (path: string, message: string): Failure =>
  new Failure('input.invalid', `the job can't be accepted: ${message}`, { path })
