// Chooses the fetch mode of a task: by its job, by its own state, or by what similar pages needed.
import type { RenderFinding } from '../../dispatch/render-memory.ts'
import { templateOf } from '../../frontier/url-shapes.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import { taskRenderMode } from '../../model/policy/render-mode.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { CoordinatorContext } from './context.ts'
import type { RunningJob } from './running-job.ts'

/** Dependencies for choosing between HTTP and browser. */
export type RenderContext = Pick<CoordinatorContext, 'renderMemory'>

export function withWay(context: RenderContext, job: RunningJob, task: TimedTask): TimedTask {
  const mode = taskRenderMode(job.render, task.overrides)
  if (mode === 'never' || task.kind !== 'page') return task
  if (mode === 'always') return { ...task, way: 'browser', wayWhy: job.renderWhy ?? asSaid }
  // With `auto` and no browser, the task uses HTTP. The lane adds a warning if the page needs a browser.
  if (job.noBrowser) return { ...task, way: 'http', wayWhy: null }
  return task.way === 'browser' ? task : asAdvised(context, job, task)
}

/** The reason that is stored if the policy of a domain or item, not the job, requires a browser. */
const asSaid = 'the policy of its domain or item sets render: always'

function asAdvised(context: RenderContext, job: RunningJob, task: TimedTask): TimedTask {
  if (task.url === '') return { ...task, mayAskBrowser: true }
  const template = templateOf(task.url)
  const advice = context.renderMemory.adviceFor(patternIn(job, template))
  if (advice === 'plain') return task
  if (advice === 'look') return { ...task, mayAskBrowser: true }
  return { ...task, way: 'browser', wayWhy: `similar pages (${template}) needed a browser` }
}

/** Remembers the fetch mode that a page needed, for similar pages. */
export function learnWay(context: RenderContext, job: RunningJob, task: LeasedTask, report: Finding): void {
  const finding = findingOf(report)
  if (taskRenderMode(job.render, task.overrides) === 'auto' && finding && task.url !== '')
    context.renderMemory.learn(patternIn(job, templateOf(task.url)), finding)
}

/** The key in the render memory. It contains the workspace, so that tenants do not influence each other. */
const patternIn = ({ job: { workspace } }: RunningJob, template: string): string => `${workspace} ${template}`

type Finding = Pick<TaskReport, 'failure' | 'rendering'>

const findingOf = ({ failure, rendering }: Finding): RenderFinding | null =>
  failure?.code === 'render.needed' ? 'needed' : (rendering ?? null)
