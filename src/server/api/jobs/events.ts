// GET /jobs/{id}/events: follows a job with server-sent events.

import { setInterval as every } from 'node:timers'
import { offAbort, onAbort } from '../../../lib/abort-handlers.ts'
import { jobParams } from '../../../model/api/jobs.ts'
import type { Events } from '../../../model/events.ts'
import { chosenId, taskId } from '../../../model/ids.ts'
import { hasEnded, type JobState } from '../../../model/job.ts'
import type { App } from '../../app.ts'
import { EventStream } from '../../http/event-stream.ts'
import { problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { shownCounts } from './views.ts'

const progressEveryMs = 1_000
/** Events of other processes can get lost, so the job is also polled for its end. */
const lookEveryMs = 5_000

export function addEvents(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/events',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Follow a job with server-sent events',
        description:
          'Sends `progress` with the counts (at once, and every second while they change), `task` for every attempt that ended, and `status` for every state change of the job. The stream ends when the job ends.',
        produces: ['text/event-stream'],
        params: jobParams,
        response: { 404: problemSchema },
      },
    },
    async (request, reply) => {
      const { id } = await ownedJob(server, request.caller, request.params.jobId)
      const stream = new EventStream()
      await follow(server, id, stream)
      return stream.answer(reply)
    },
  )
}

async function follow({ parts }: Server, jobId: string, stream: EventStream): Promise<void> {
  const { engine, store, stopping } = parts
  let isNews = true
  const sendProgress = async (): Promise<JobState> => {
    isNews = false
    const { job, counts, inFlight } = await engine.progress(jobId)
    stream.send('progress', {
      jobId: chosenId(jobId),
      status: job.state,
      reason: job.reason,
      counts: shownCounts(counts),
      inFlight,
    })
    return job.state
  }
  const unsubscribe = engine.listen((name, event) => {
    if ((event as { jobId?: string }).jobId !== jobId) return
    isNews = true
    if (name === 'task.settled') stream.send('task', shownAttempt(event as Events['task.settled']))
    if (name === 'job.moved') onMove(event as Events['job.moved'])
  })
  let isOver = false
  const onMove = ({ to, reason }: Events['job.moved']) => {
    if (isOver) return
    isOver = hasEnded(to)
    stream.send('status', { jobId: chosenId(jobId), status: to, reason }, { essential: true })
    if (isOver) void end()
  }
  const end = async () => {
    await sendProgress().catch(() => {})
    stream.end()
  }
  const look = async () => {
    const job = await store.jobs.get(jobId)
    if (!job) stream.end()
    else if (hasEnded(job.state)) onMove({ jobId, to: job.state, reason: job.reason })
  }
  const onStop = () => stream.end()
  const timers = [
    every(() => isNews && void sendProgress().catch(onStop), progressEveryMs),
    every(() => void look().catch(() => {}), lookEveryMs),
  ].map(timer => timer.unref())
  onAbort(stopping, onStop)
  stream.onClose(() => {
    unsubscribe()
    for (const timer of timers) clearInterval(timer)
    offAbort(stopping, onStop)
  })
  try {
    // The state may have changed between the lookup of the job and the subscription, so read it again.
    await sendProgress()
    const job = await store.jobs.get(jobId)
    if (!job || hasEnded(job.state) || stopping.aborted) stream.end()
  } catch (error) {
    stream.abandon()
    throw error
  }
}

const shownAttempt = ({
  jobId,
  n,
  url,
  state,
  reason,
  message,
  durationMs,
  attempt,
}: Events['task.settled']) => ({
  taskId: taskId(jobId, n),
  ...{ url, status: state, reason, message, durationMs, attempt },
})
