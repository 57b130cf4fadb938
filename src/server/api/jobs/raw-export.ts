// /jobs/{id}/raw-export: raw pages as Parquet by domain and date, written into the storage of the service and downloaded from there.
import { Readable } from 'node:stream'
import * as z from 'zod'
import { chosenId } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import { type RawExportReport, RawExports, rawExportStates } from '../../../pipeline/report/raw-exports.ts'
import { isoTimeOrNull, pageQuery, problemSchema } from '../../answers.ts'
import type { App } from '../../app.ts'
import { cursorOf, placeIn } from '../../cursors.ts'
import { asDownload } from '../../downloads.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { jobParams } from './schemas.ts'

const shownExport = z.object({
  jobId: z.string(),
  state: z
    .enum(rawExportStates)
    .describe(
      '`partial` has what had ended when it was last written, and the job goes on. `interrupted` and `failed` continue with the next POST.',
    ),
  rows: z.int(),
  bytes: z.int(),
  updatedAt: z.string().nullable(),
  trouble: z.string().nullable().describe('Why the last run failed.'),
  prefix: z.string().describe('The key prefix of the files in the storage of the service.'),
})

const shownFiles = z.object({
  files: z.array(
    z.object({
      path: z.string().describe('`domain=…/date=YYYY-MM-DD/part-….parquet`, below the prefix.'),
      bytes: z.int(),
      url: z.string(),
    }),
  ),
  nextCursor: z.string().nullable(),
})

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
          'Writes into the storage of the service, beside the request. It can be repeated: an export that was interrupted continues without lost or duplicate rows, and that of a running job gets the pages that ended since.',
        params: jobParams,
        response: { 202: shownExport, 404: problemSchema, 422: problemSchema },
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
        summary: 'How far the export of raw pages is',
        params: jobParams,
        response: { 200: shownExport, 404: problemSchema },
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
        summary: 'The files of the export of raw pages, by path',
        params: jobParams,
        querystring: z.strictObject(pageQuery),
        response: { 200: shownFiles, 404: problemSchema, 422: problemSchema },
      },
    },
    async request => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const { limit, cursor } = request.query
      const files = await exports.files(job, { after: placeIn(cursor, z.string()) ?? '', limit })
      const last = files.length === limit ? files.at(-1) : undefined
      const base = `/jobs/${encodeURIComponent(chosenId(job.id))}/raw-export/files/`
      return {
        files: files.map(file => ({ ...file, url: `${base}${encodeURIComponent(file.path)}` })),
        nextCursor: last ? cursorOf(last.path) : null,
      }
    },
  )
  app.get(
    '/jobs/:jobId/raw-export/files/:path',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'One file of the export of raw pages',
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
