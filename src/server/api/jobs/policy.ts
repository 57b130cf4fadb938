// Shows the policy of a job with the source of each value and its budget, and raises the budget.

import { mayDo } from '../../../model/access.ts'
import { jobPolicy, raisedLimits } from '../../../model/api/job-reports.ts'
import { jobParams, jobSummary } from '../../../model/api/jobs.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId } from '../../../model/ids.ts'
import { policyReport } from '../../../pipeline/report/policy-report.ts'
import { goesOnWithMore, raiseLimits } from '../../../pipeline/submit/raise-limits.ts'
import type { App } from '../../app.ts'
import { baseUrl, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { shownJob } from './views.ts'

export function addPolicy(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/policy',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get the policy of a job, the source of each value, and what the job has spent',
        params: jobParams,
        response: { 200: jobPolicy, 404: problemSchema },
      },
    },
    async request => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      return { jobId: chosenId(job.id), ...policyReport(job, await server.parts.store.jobs.counts(job.id)) }
    },
  )
  addRaising(app, server)
}

function addRaising(app: App, server: Server): void {
  app.post(
    '/jobs/:jobId/raise',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Change the budget of a job; a job that stopped at a limit continues',
        params: jobParams,
        body: raisedLimits.meta({ examples: [{ pages: 5000 }, { bytes: 2000000000, money: null }] }),
        response: { 200: jobSummary, 403: problemSchema, 404: problemSchema, 409: problemSchema },
      },
    },
    async request => {
      const { id } = await ownedJob(server, request.caller, request.params.jobId)
      if (Object.keys(request.body).length === 0)
        throw new Failure('input.invalid', 'name a limit: pages, bytes, browser_seconds or money', {
          path: 'pages',
        })
      const { store, engine } = server.parts
      const { ceilings } = server.settings
      const mayExceed = mayDo(request.caller.scopes, 'admin')
      const job = await raiseLimits(store, id, request.body, { ...(ceilings && { ceilings }), mayExceed })
      const now = goesOnWithMore(job) ? await engine.steer(id, 'resume') : job
      return shownJob(now, baseUrl(server, request))
    },
  )
}
