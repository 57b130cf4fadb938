// Decides what happens to a page that lacks content without a browser: it is requested again with a browser, or it is used
// as it is. The reason is recorded.
import { Failure } from '../../model/failures.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { Page } from '../../model/page/page.ts'
import type { OpenJob } from './lane/open-job.ts'
import type { LookedAt } from './reading.ts'

/** Returns whether a browser helped or was not needed, and the reason, for the report and the records. Throws
 *  `render.needed` if the page must be requested again with a browser. */
export function judgeNeed(
  job: OpenJob,
  task: TimedTask,
  page: Page,
  { need, isLacking }: LookedAt,
): { rendering?: NonNullable<TaskReport['rendering']>; why: string } {
  if (page.rendered) return { rendering: need.needs ? 'in-vain' : 'helped', why: page.rendered.why }
  if (!need.needs) return { rendering: 'not-needed', why: 'it is complete without a browser' }
  if (task.mayAskBrowser) throw renderNeeded(page.finalUrl, need.why)
  if (job.job.noBrowser) {
    if (isLacking) throw noBrowser(page.finalUrl, need.why)
    return { why: `there is no browser, so content may be missing (${need.why})` }
  }
  return { why: `a browser added nothing to similar pages (${need.why})` }
}

export const renderNeeded = (url: string, why: string): Failure =>
  new Failure('render.needed', `${url} needs a browser: ${why}`, { why })

export const noBrowser = (url: string, why: string): Failure =>
  new Failure(
    'browser.missing',
    `${url} needs a browser (${why}), but none is installed; \`kscrape doctor\` shows how to install one`,
    { why },
  )
