// Tells the coordinator of requests that ended, ahead of what is in their pages: their hosts may be asked again.
import type { AnsweredTask } from '../../model/cluster-messages.ts'
import type { JobSpec } from '../../model/job.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import { factsOf } from '../../pipeline/coordinate/settle-reports.ts'

/** Ends of this long are told together; hosts are seldom asked again sooner. */
const gatherMs = 100

type AnsweredAt = AnsweredTask & { host: string }

export class AnswerNotifier implements Disposable {
  readonly #tell: (tasks: AnsweredAt[]) => void
  #ended: AnsweredAt[] = []
  #timer: NodeJS.Timeout | null = null

  /** `tell` is a hint: whoever misses it learns of the end when the page was read. */
  constructor(tell: (tasks: AnsweredAt[]) => void) {
    this.#tell = tell
  }

  /** Of a host that nothing holds back, nobody waits for the end. */
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
