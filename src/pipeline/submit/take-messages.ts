// Receives messages of a queue. Each message becomes a task of its job, and is deleted only after the task is committed.
import { idIn } from '../../model/access.ts'
import type { AddedWork } from '../../model/cluster-messages.ts'
import { asFailure, Failure, mayPass } from '../../model/failures.ts'
import type { GivenSpec } from '../../model/job.ts'
import { hasEnded, isFed, type Job, queueSource } from '../../model/job.ts'
import { camel, mapKeys } from '../../model/letter-case.ts'
import type { NewTask } from '../../model/task.ts'
import { type WorkerMessage, workerMessage } from '../../model/worker-message.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Messages, ReceivedMessage } from '../../ports/messages.ts'
import type { Store } from '../../ports/store.ts'
import { itemTasks, type PlanParts, parseJobSpec, type SubmitOptions } from './submit-job.ts'

interface IntakeParts extends Pick<PlanParts, 'gate' | 'registry'> {
  messages: Messages
  store: Store
  clock: Clock
  workspace: string
  /** The spec of new jobs except id and scraper, in snake_case. */
  jobDefaults: Record<string, unknown>
  submit(spec: GivenSpec, options: SubmitOptions): Promise<Job>
  /** Reports new tasks to the process that runs the jobs. If the report is lost, that process later finds the tasks in
   *  the store. */
  fed(added: AddedWork[]): Promise<void>
  mark: (point: string) => void
  tell: (event: IntakeEvent) => void
}

export type IntakeEvent =
  | { is: 'taken'; tasks: number; duplicates: number }
  | { is: 'refused'; message: ReceivedMessage; reason: string; buried: boolean }
  | { is: 'trouble'; failure: Failure }

const restMs = 1_000

/** Receives messages until the signal aborts. */
export async function takeMessages(parts: IntakeParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted)
    try {
      const received = await parts.messages.receive(signal)
      if (received.length > 0) await takeHidden(parts, received, signal)
    } catch (error) {
      if (signal.aborted) return
      parts.tell({ is: 'trouble', failure: asFailure(error) })
      await parts.clock.sleep(restMs, signal).catch(() => {})
    }
}

/** Handles messages, and extends their visibility timeout until they are committed. SQS allows at most 12 hours. */
async function takeHidden(
  parts: IntakeParts,
  received: readonly ReceivedMessage[],
  signal: AbortSignal,
): Promise<void> {
  const { messages } = parts
  const left = new Set(received)
  const hiding = setInterval(
    () => void messages.extend([...left]).catch(() => {}),
    messages.visibleAfterMs / 3,
  )
  try {
    for (const group of Map.groupBy(received, jobNamed).values()) {
      const done = await patiently(parts, () => takeOfJob(parts, group), signal)
      await messages.delete(done)
      for (const message of group) left.delete(message)
    }
  } finally {
    clearInterval(hiding)
    if (signal.aborted) await messages.giveBack([...left]).catch(() => {})
  }
}

/** Retries `work` while the store is down. The messages stay hidden from other receivers meanwhile. */
async function patiently<Result>(
  { clock, tell }: IntakeParts,
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (;;)
    try {
      return await work()
    } catch (error) {
      const failure = asFailure(error)
      if (signal.aborted || !mayPass(failure)) throw error
      tell({ is: 'trouble', failure })
      await clock.sleep(restMs, signal).catch(() => {})
    }
}

/** Commits the tasks of one job's messages. Returns the messages that can be deleted, including those committed earlier. */
async function takeOfJob(parts: IntakeParts, group: readonly ReceivedMessage[]): Promise<ReceivedMessage[]> {
  const done: ReceivedMessage[] = []
  const tasks = new Map<bigint, NewTask>()
  let job: Job | null = null
  let taken = 0
  for (const message of group)
    try {
      const read = readMessage(message)
      job ??= await jobFor(parts, read)
      refuseUnfit(job, read.scraper_id)
      const task = await taskOf(parts, job, read, tasks)
      tasks.set(task.key, task)
      done.push(message)
      taken++
    } catch (error) {
      const failure = asFailure(error)
      if (!isRefusal(failure)) throw error
      if (await refuse(parts, message, failure.message)) done.push(message)
    }
  if (job) await commit(parts, job, [...tasks.values()], taken)
  parts.mark('intake.after_commit_before_delete')
  return done
}

/** Whether the sender must fix the message. After any other error, the message is delivered again. */
const isRefusal = ({ code, rule }: Failure): boolean =>
  rule.retry === 'never' && !code.startsWith('internal.') && !code.startsWith('storage.')

async function refuse(parts: IntakeParts, message: ReceivedMessage, reason: string): Promise<boolean> {
  const buried = await parts.messages.bury(message, reason)
  parts.tell({ is: 'refused', message, reason, buried })
  return buried
}

function readMessage({ body }: ReceivedMessage): WorkerMessage {
  const parsed = workerMessage.safeParse(jsonOf(body))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
  throw new Failure(
    'input.invalid',
    `the message is not {"job_id", "item_id", "scraper_id", "input"}: ${problems.join('; ')}`,
  )
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new Failure('input.invalid', 'the body of the message is not JSON')
  }
}

/** The group of a message: messages of one job are committed together. A message that is not JSON has its own group. */
function jobNamed({ body, receipt }: ReceivedMessage): string {
  try {
    return `job ${String((JSON.parse(body) as { job_id?: unknown }).job_id)}`
  } catch {
    return receipt
  }
}

/** The job of a message. If it does not exist, it is created. */
async function jobFor(parts: IntakeParts, { job_id, scraper_id }: WorkerMessage): Promise<Job> {
  const { store, workspace, messages, jobDefaults } = parts
  const jobId = idIn(workspace, job_id)
  const known = await store.jobs.get(jobId)
  if (known) return known
  const given = { ...(mapKeys(jobDefaults, camel) as object), ...(scraper_id && { scraperId: scraper_id }) }
  const spec = { ...parseJobSpec({ ...given, items: undefined }), jobId }
  const origin = { workspace, face: 'jobs' } as const
  try {
    return await parts.submit(spec, { source: `${queueSource}${messages.name}`, origin })
  } catch (error) {
    // Another process has created the job.
    if (asFailure(error).code !== 'job.exists') throw error
    return (await store.jobs.get(jobId))!
  }
}

function refuseUnfit({ id: jobId, state, reason, spec }: Job, scraperId: string | undefined): void {
  if (state === 'cancelled' || reason === 'cancelled')
    throw new Failure('input.invalid', `job ${jobId} was cancelled; send the item under another job_id`)
  if (scraperId !== undefined && scraperId !== spec.scraperId)
    throw new Failure(
      'input.invalid',
      `scraper_id "${scraperId}": job ${jobId} runs scraper "${spec.scraperId}"; send other items under another job_id`,
    )
}

/** The task of a message. A message with the same item id and input is a duplicate. The same id with another input is
 *  refused. Otherwise that item would be lost as a duplicate. */
async function taskOf(
  parts: IntakeParts,
  job: Job,
  message: WorkerMessage,
  batch: ReadonlyMap<bigint, NewTask>,
): Promise<NewTask> {
  const { item_id: itemId, input, policy } = message
  const item = mapKeys({ item_id: itemId, input, ...(policy && { policy }) }, camel)
  const [task] = itemTasks(parts, job.spec, [item])
  const before = batch.get(task!.key) ?? (await parts.store.tasks.find(job.id, task!.key))
  if (before && before.input !== task!.input)
    throw new Failure('input.invalid', `item_id "${itemId}" of job ${job.id} already has another input`)
  return task!
}

async function commit(
  { store, clock, fed, tell }: IntakeParts,
  job: Job,
  tasks: NewTask[],
  messages: number,
): Promise<void> {
  const { ingest } = job
  const isOurs = ingest.source === null || isFed(ingest)
  const progress = { ...ingest, source: ingest.source ?? `${queueSource}messages`, done: false }
  const { added, hosts } = await store.tasks.add(
    job.id,
    tasks,
    isOurs ? { ...progress, rows: ingest.rows + tasks.length } : undefined,
  )
  tell({ is: 'taken', tasks: added, duplicates: messages - added })
  if (added === 0) return
  await keepOpen(store, clock, job.id)
  await fed([...hosts].map(([host, count]) => ({ jobId: job.id, host, count }))).catch(() => {})
}

/** Makes sure that the job will run the new tasks. A finishing job does not check for new tasks, so it is reopened after its end. */
async function keepOpen(store: Store, clock: Clock, jobId: string): Promise<void> {
  for (;;) {
    const state = (await store.jobs.get(jobId))?.state
    if (state === undefined || !(state === 'finishing' || hasEnded(state))) return
    if (state === 'cancelled') return void (await store.tasks.endPending(jobId, state, 'job.cancelled'))
    if (hasEnded(state)) await store.jobs.move(jobId, [state], 'running', { at: clock.now() })
    else await clock.sleep(restMs / 5)
  }
}
