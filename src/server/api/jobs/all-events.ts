// GET /events: follows all jobs of a workspace with server-sent events.

import { setInterval as every } from 'node:timers'
import { offAbort, onAbort } from '../../../lib/abort-handlers.ts'
import { RecentMap } from '../../../lib/collections/recent-map.ts'
import type { Events } from '../../../model/events.ts'
import { chosenId } from '../../../model/ids.ts'
import type { App } from '../../app.ts'
import { EventStream } from '../../http/event-stream.ts'
import { baseUrl, problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import type { JobLister } from './listed.ts'

const sendEveryMs = 1_000
/** Maximum number of jobs whose progress is sent per second. If more jobs have progress, the rest are sent a second later.
 *  State changes are sent at once. */
const mostAtOnce = 50
const rememberedJobs = 10_000

export function addAllEvents(app: App, server: Server, lister: JobLister): void {
  app.get(
    '/events',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Follow all jobs with server-sent events',
        description:
          'The event `job` has a job in the form of `GET /jobs?counts=true&live=true`. It is sent at once when the state changes, and every second while the counts change. The event `deleted` reports a deleted job. The stream ends when you close it.',
        produces: ['text/event-stream'],
        response: { 401: problemSchema },
      },
    },
    async (request, reply) => {
      const stream = new EventStream()
      follow(server, lister, { workspace: request.caller.workspace, base: baseUrl(server, request) }, stream)
      return stream.answer(reply)
    },
  )
}

interface Viewer {
  workspace: string
  base: string
}

function follow({ parts }: Server, lister: JobLister, viewer: Viewer, stream: EventStream): void {
  const { engine, store, stopping } = parts
  const isOurs = new RecentMap<string, boolean>(rememberedJobs)
  const send = async (jobId: string): Promise<void> => {
    if (isOurs.get(jobId) === false) return
    const job = await store.jobs.get(jobId)
    if (!job) return
    isOurs.set(jobId, job.workspace === viewer.workspace)
    if (job.workspace !== viewer.workspace) return
    const shown = await lister.show(job, viewer.base, { counts: true, live: true })
    if (!looks.isGone(jobId)) stream.send('job', shown)
  }
  const looks = new Looks(send)
  const unsubscribe = engine.listen((name, event) => {
    if (name === 'task.settled') looks.soon((event as Events['task.settled']).jobId)
    if (name === 'job.moved') looks.now((event as Events['job.moved']).jobId)
    if (name === 'job.deleted') onDelete((event as Events['job.deleted']).jobId)
  })
  const onDelete = (jobId: string) => {
    looks.forget(jobId)
    // The workspace of a deleted job is known only if the job was sent before.
    if (isOurs.get(jobId)) stream.send('deleted', { jobId: chosenId(jobId) })
  }
  const timer = every(() => looks.due(mostAtOnce), sendEveryMs).unref()
  const onStop = () => stream.end()
  onAbort(stopping, onStop)
  stream.onClose(() => {
    unsubscribe()
    clearInterval(timer)
    offAbort(stopping, onStop)
  })
  stream.send('ready', {})
}

/** Reads the state of jobs. Two reads of the same job never run at the same time, because the older state could then be sent
 *  last. */
class Looks {
  readonly #send: (jobId: string) => Promise<void>
  readonly #soon = new Set<string>()
  readonly #underWay = new Map<string, { isAgain: boolean; isGone: boolean }>()

  constructor(send: (jobId: string) => Promise<void>) {
    this.#send = send
  }

  soon(jobId: string): void {
    this.#soon.add(jobId)
  }

  due(most: number): void {
    for (const jobId of [...this.#soon].slice(0, most)) this.now(jobId)
  }

  now(jobId: string): void {
    this.#soon.delete(jobId)
    const before = this.#underWay.get(jobId)
    if (before) before.isAgain = true
    // A failed read is repeated with the next batch.
    else void this.#look(jobId).catch(() => this.soon(jobId))
  }

  forget(jobId: string): void {
    this.#soon.delete(jobId)
    const before = this.#underWay.get(jobId)
    if (before) before.isGone = true
  }

  isGone(jobId: string): boolean {
    return this.#underWay.get(jobId)?.isGone ?? false
  }

  async #look(jobId: string): Promise<void> {
    const own = { isAgain: true, isGone: false }
    this.#underWay.set(jobId, own)
    try {
      while (own.isAgain) {
        own.isAgain = own.isGone = false
        await this.#send(jobId)
      }
    } finally {
      this.#underWay.delete(jobId)
    }
  }
}
