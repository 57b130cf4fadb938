// GET /jobs/{id}/conduct: the conduct receipt of a job, also while it runs.

import { jobConduct } from '../../../model/api/job-reports.ts'
import { jobParams } from '../../../model/api/jobs.ts'
import { chosenId } from '../../../model/ids.ts'
import { type ConductReceipt, conductReceipt } from '../../../pipeline/report/conduct-receipt.ts'
import type { App } from '../../app.ts'
import { isoTime, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'

export function addConduct(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/conduct',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get the conduct receipt of a job',
        params: jobParams,
        response: { 200: jobConduct, 404: problemSchema },
      },
    },
    async request => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      return shown(await conductReceipt(server.parts.store, job))
    },
  )
}

const shown = (found: ConductReceipt) => ({
  ...found,
  jobId: chosenId(found.jobId),
  robots: {
    ...found.robots,
    files: found.robots.files.map(file => ({ ...file, fetchedAt: isoTime(file.fetchedAt) })),
  },
  consents: found.consents.map(note => ({ ...note, at: isoTime(note.at) })),
  hosts: found.hosts.map(host => ({
    ...host,
    firstAt: isoTime(host.firstAt),
    lastAt: isoTime(host.lastAt),
  })),
})
