// Turns browser flags into a job.
import { defined } from '../../lib/defined.ts'
import { Failure } from '../../model/failures.ts'
import type { JobSpecInput } from '../../model/job.ts'
import type { RenderFlags } from './render-flags.ts'

export function renderSpecOf(flags: RenderFlags): JobSpecInput {
  refuseContradiction(flags)
  const rendering = renderingOf(flags)
  const { session, browser, isolation } = flags
  // `--isolation` implies that a browser is used.
  const render = flags.render ?? (isolation === undefined ? undefined : 'always')
  return {
    ...defined({ render, session, browser }),
    ...(Object.keys(rendering).length > 0 && { rendering }),
  }
}

export const isolationOf = ({ isolation }: RenderFlags): JobSpecInput['policy'] =>
  isolation === undefined ? {} : { browser: { isolation } }

function renderingOf(flags: RenderFlags): NonNullable<JobSpecInput['rendering']> {
  const { fullPage, pdf, mobile, waitFor, settle, scroll, block, js } = flags
  // --full-page implies a screenshot.
  const screenshot = Boolean(flags.screenshot || fullPage)
  return {
    ...(screenshot && { screenshot }),
    ...(fullPage && { fullPage }),
    ...(pdf && { pdf: true }),
    ...(mobile && { mobile }),
    ...(scroll && { scroll }),
    ...(block && { block }),
    ...defined({ waitFor, settleMs: settle, js }),
  }
}

const names: Array<[keyof RenderFlags, flag: string]> = [
  ['screenshot', '--screenshot'],
  ['pdf', '--pdf'],
  ['fullPage', '--full-page'],
  ['mobile', '--mobile'],
  ['waitFor', '--wait-for'],
  ['settle', '--settle'],
  ['scroll', '--scroll'],
  ['block', '--block'],
  ['js', '--js'],
  ['isolation', '--isolation'],
]

/** Refuses contradictory flags by their names. The job spec would refuse them too, but with other names. */
function refuseContradiction(flags: RenderFlags): void {
  if (flags.render !== 'never') return
  const given = names.filter(([name]) => flags[name] !== undefined).map(([, flag]) => flag)
  if (flags.browser === 'stealth') given.push('--browser stealth')
  if (given.length === 0) return
  throw new Failure(
    'input.invalid',
    `--render never and ${given.join(', ')} contradict each other: ${given.length > 1 ? 'those need' : 'that needs'} the browser`,
    { flags: given },
  )
}
