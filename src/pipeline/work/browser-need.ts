// What becomes of a plain page that lacks something: it goes back for a browser, or it is taken as it is, with a word on why.
import { Failure } from '../../model/failures.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { Page } from '../../model/page/page.ts'
import type { OpenJob } from './lane-job.ts'
import type { LookedAt } from './reading.ts'

/** What the report and the records say of a page that was looked at. Throws where the plain page will not do. */
export function judgeNeed(
  job: OpenJob,
  task: TimedTask,
  page: Page,
  { need, isLacking }: LookedAt,
): { rendering?: NonNullable<TaskReport['rendering']>; why: string } {
  if (page.rendered) return { rendering: need.needs ? 'in-vain' : 'helped', why: page.rendered.why }
  if (!need.needs) return { rendering: 'not-needed', why: 'it is all there without a browser' }
  if (task.mayAskBrowser) throw renderNeeded(page.finalUrl, need.why)
  if (job.job.noBrowser) {
    if (isLacking) throw noBrowser(page.finalUrl, need.why)
    return { why: `there is no browser here, and it may lack what one would bring (${need.why})` }
  }
  return { why: `a browser brought nothing more to pages like it (${need.why})` }
}

export const renderNeeded = (url: string, why: string): Failure =>
  new Failure('render.needed', `${url} needs a browser: ${why}`, { why })

export const noBrowser = (url: string, why: string): Failure =>
  new Failure(
    'browser.missing',
    `${url} needs a browser (${why}), and there is none here; \`kscrape doctor\` says how to get one`,
    { why },
  )
