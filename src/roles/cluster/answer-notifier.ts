// Reports finished requests to the coordinator before their pages are parsed, so that the next request to the host can start
// sooner.
import type { AnsweredTask } from '../../model/cluster-messages.ts'
import type { JobSpec } from '../../model/job.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import { factsOf } from '../../pipeline/coordinate/settle/settle-reports.ts'

/** Requests that finish within this time are reported in one message. The delay between two requests to a host is
 *  seldom shorter than this. */
const gatherMs = 100

type AnsweredAt = AnsweredTask & { host: string }

export class AnswerNotifier implements Disposable {
  readonly #tell: (tasks: AnsweredAt[]) => void
  #ended: AnsweredAt[] = []
  #timer: NodeJS.Timeout | null = null

  /** `tell` sends the message. A lost message does no harm, because the coordinator learns of the request when its page
   *  is settled. */
  constructor(tell: (tasks: AnsweredAt[]) => void) {
    this.#tell = tell
  }

  /** For hosts without a limit no message is sent, because no task waits for another one to finish. */
  ended({ policy }: JobSpec, { jobId, n, attempt, host, gapMs }: TimedTask, report: TaskReport): void {
    if (gapMs === 0 && policy.host.rate === 'unlimited' && policy.host.concurrency === undefined) return
    this.#ended.push({ jobId, n, attempt, host, ...factsOf(report) })
    this.#timer ??= setTimeout(() => this.#flush(), gatherMs)
  }

  #flush(): void {
    this.#timer = null
    this.#tell(this.#ended.splice(0))
  }

  [Symbol.dispose](): void {
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#ended.length > 0) this.#flush()
  }
}
