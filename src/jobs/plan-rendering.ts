// Validates the rendering options of a job before it runs.
import { Failure } from '../model/failures.ts'
import type { GivenSpec, JobSpec } from '../model/job.ts'
import { askedRenderMode, renderContradiction, renderModeOf } from '../model/policy/render-mode.ts'

/** Copies the job's `render` into its policy, so that the policy report shows that the value is from the job. */
export function withRenderPolicy(given: GivenSpec): GivenSpec {
  const render = askedRenderMode(given)
  const said = given.policy.render
  if (render === undefined) return given
  if (said !== undefined && said !== render)
    throw refused(
      'policy.render',
      `policy.render is ${said}, but other options of the job imply ${render}; remove one of them`,
    )
  return { ...given, policy: { ...given.policy, render } }
}

/** The spec with the effective `render`. */
export function plannedRendering(spec: JobSpec): JobSpec {
  const { rendering } = spec
  const contradiction = renderContradiction(spec)
  if (contradiction !== null) throw refused('render', contradiction)
  if (rendering.fullPage && !rendering.screenshot)
    throw refused('rendering.full_page', 'full_page is an option of screenshots; set screenshot too')
  return { ...spec, render: renderModeOf(spec) }
}

const refused = (path: string, message: string): Failure =>
  new Failure('input.invalid', `the job can't be accepted: ${message}`, { path })
