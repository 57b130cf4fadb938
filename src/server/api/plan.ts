// POST /plan: estimates the pages, time and cost of a job from a small, polite sample.
import type { Caller } from '../../model/access.ts'
import { jobBody } from '../../model/api/jobs.ts'
import { planShown } from '../../model/api/plan.ts'
import { Failure } from '../../model/failures.ts'
import type { GivenSpec } from '../../model/job.ts'
import { listedTargets } from '../../pipeline/submit/listed-targets.ts'
import { makePlan, pricesFor, sampleSize } from '../../pipeline/submit/make-plan.ts'
import { type LookAt, lookedAt, lookingJob } from '../../pipeline/submit/sample-pages.ts'
import { uploadSource } from '../../pipeline/submit/uploads.ts'
import type { RouteGroup } from '../app.ts'
import { problemSchema } from '../http/responses.ts'
import { jobEnded, stoppingFailure } from '../job-watch.ts'
import type { Server } from '../parts.ts'
import { submitFor } from '../submit.ts'
import { uploadParts } from '../uploads.ts'

export const planApi: RouteGroup = {
  name: 'plan',
  about: 'Estimates of the pages, time and cost of a job.',
  addRoutes(app, server) {
    app.post(
      '/plan',
      {
        config: { scope: 'submit', takesLists: true },
        schema: {
          summary: 'Plan a job',
          description:
            'The request body is that of `POST /jobs`. The service fetches robots.txt, a few sitemaps and up to 20 pages at the polite rate, which can take half a minute. It stores only the state of the hosts.',
          body: jobBody,
          response: { 200: planShown, 403: problemSchema, 422: problemSchema },
        },
      },
      async request => planFor(server, request.caller, request.body),
    )
  },
}

async function planFor(server: Server, caller: Caller, spec: GivenSpec) {
  const { parts, settings } = server
  await parts.engine.check(
    { ...spec, output: [] },
    { origin: { face: 'jobs' }, ...(await sourceOf(server, caller, spec)) },
  )
  const isList = spec.urls !== undefined || spec.items !== undefined || spec.uploadId !== undefined
  const defaults = { prices: pricesOf(settings) }
  return makePlan(
    {
      lookAt: lookFor(server, caller, spec),
      robotsOf: origin => parts.store.hosts.robots(origin),
      policyFor: async host => (await parts.hosts.report(host)).policy,
      userAgent: spec.userAgent ?? settings.userAgent ?? 'kscrape',
      prices: pricesFor({ defaults }, spec),
      concurrency: spec.concurrency ?? settings.concurrency,
    },
    spec,
    isList ? 'list' : 'crawl',
    isList ? await listed(server, caller, spec) : undefined,
  )
}

const pricesOf = ({ pricePerGb, pricePerBrowserHour }: Server['settings']) => ({
  ...(pricePerGb !== undefined && { perGb: pricePerGb }),
  ...(pricePerBrowserHour !== undefined && { perBrowserHour: pricePerBrowserHour }),
})

async function sourceOf(
  server: Server,
  { workspace }: Caller,
  { uploadId }: GivenSpec,
): Promise<{ source?: string }> {
  const source = await uploadSource(uploadParts(server), workspace, uploadId)
  return source === undefined ? {} : { source }
}

async function listed(server: Server, caller: Caller, spec: GivenSpec) {
  const { source } = await sourceOf(server, caller, spec)
  const rows = source === undefined ? null : { name: source, open: () => server.parts.blobs.openRead(source) }
  return listedTargets(spec, rows, sampleSize)
}

/** Fetches the sample as a job of the caller, within the caller's limits. Deletes the job when the sample has been parsed. */
const lookFor =
  (server: Server, caller: Caller, spec: GivenSpec): LookAt =>
  async (urls, kind) => {
    const { engine, seeAhead: see, store, blobs } = server.parts
    const { job } = await submitFor(server, caller, lookingJob(spec, urls), { face: 'jobs' })
    try {
      await untilEnded(server, job.id)
      return await lookedAt({ store, blobs, see }, job, kind)
    } finally {
      await engine.steer(job.id, 'cancel').catch(() => {})
      await engine.delete(job.id).catch(() => {})
    }
  }

/** Timeout of the sample pages. If they take longer, the plan fails. */
const longestLookMs = 180_000

async function untilEnded(server: Server, jobId: string): Promise<void> {
  if (await jobEnded(server, jobId, longestLookMs, new AbortController().signal)) return
  if (server.parts.stopping.aborted) throw stoppingFailure(server)
  throw new Failure(
    'request.too-slow',
    `the sample pages did not arrive within ${longestLookMs / 1_000} s; use fewer hosts, or retry later`,
  )
}
