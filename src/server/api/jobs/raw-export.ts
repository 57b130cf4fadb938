// /jobs/{id}/raw-export: writes raw pages as Parquet, by domain and date, into the storage of the service. Clients download the
// files from there.

import { Readable } from 'node:stream'
import * as z from 'zod'
import { rawExport, rawExportFiles } from '../../../model/api/job-reports.ts'
import { jobParams } from '../../../model/api/jobs.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import { chosenId } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import { type RawExportReport, RawExports } from '../../../pipeline/report/raw-exports.ts'
import type { App } from '../../app.ts'
import { cursorAfter, placeIn } from '../../http/cursors.ts'
import { asDownload } from '../../http/downloads.ts'
import { isoTimeOrNull, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'

export function addRawExport(app: App, server: Server): void {
  const exports = new RawExports(server.parts)
  app.addHook('onClose', () => exports[Symbol.asyncDispose]())
  addStart(app, server, exports)
  addFiles(app, server, exports)
}

function addStart(app: App, server: Server, exports: RawExports): void {
  app.post(
    '/jobs/:jobId/raw-export',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Export the raw pages of a job as Parquet by domain and date',
        description:
          'Writes into the storage of the service, in the background. You can repeat the request: an interrupted export continues without lost or duplicate rows, and the export of a running job gets the pages that were added since.',
        params: jobParams,
        response: { 202: rawExport, 404: problemSchema, 422: problemSchema },
      },
    },
    async (request, reply) => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      return reply.code(202).send(shown(job, await exports.start(job)))
    },
  )
  app.get(
    '/jobs/:jobId/raw-export',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get the state of the raw page export',
        params: jobParams,
        response: { 200: rawExport, 404: problemSchema },
      },
    },
    async request => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      return shown(job, await exports.report(job))
    },
  )
}

function addFiles(app: App, server: Server, exports: RawExports): void {
  app.get(
    '/jobs/:jobId/raw-export/files',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'List the files of the raw page export',
        params: jobParams,
        querystring: z.strictObject(pageQuery),
        response: { 200: rawExportFiles, 404: problemSchema, 422: problemSchema },
      },
    },
    async request => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const { limit, cursor } = request.query
      const files = await exports.files(job, { after: placeIn(cursor, z.string()) ?? '', limit })
      const base = `/jobs/${encodeURIComponent(chosenId(job.id))}/raw-export/files/`
      return {
        files: files.map(file => ({ ...file, url: `${base}${encodeURIComponent(file.path)}` })),
        nextCursor: cursorAfter(files, limit, ({ path }) => path),
      }
    },
  )
  app.get(
    '/jobs/:jobId/raw-export/files/:path',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Download a file of the raw page export',
        params: jobParams.extend({ path: z.string().max(1_024) }),
        response: { 404: problemSchema },
      },
    },
    async (request, reply) => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const { path } = request.params
      const { bytes, chunks } = await exports.open(job, path)
      const name = path.replaceAll('/', '-')
      return asDownload(reply, name, 'application/vnd.apache.parquet')
        .header('content-length', bytes)
        .send(Readable.from(chunks))
    },
  )
}

const shown = (job: Job, { updatedAt, ...report }: RawExportReport) => ({
  jobId: chosenId(job.id),
  ...report,
  updatedAt: isoTimeOrNull(updatedAt),
})
