// GET /jobs/{id}/export: streams all records (or raw pages) of a job as one file.

import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { jobParams } from '../../../model/api/jobs.ts'
import { chosenId } from '../../../model/ids.ts'
import { outputFormats } from '../../../model/job.ts'
import { inputForms, pageColumns } from '../../../model/table-shape.ts'
import { exportStream } from '../../../pipeline/report/export-stream.ts'
import type { App } from '../../app.ts'
import { asDownload } from '../../http/downloads.ts'
import { problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'

const types: Partial<Record<(typeof outputFormats)[number], string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  md: 'text/markdown; charset=utf-8',
  cdxj: 'text/plain; charset=utf-8',
  har: 'application/json',
  wacz: 'application/wacz',
  sqlite: 'application/vnd.sqlite3',
}

/** Query of an export. Missing values come from `results` of the job. */
const exportQuery = z.strictObject({
  format: z.enum(outputFormats).default('jsonl'),
  input: z.enum(inputForms).optional(),
  explode: z.string().min(1).max(1_000).optional(),
  pageColumns: z
    .string()
    .transform(text => text.split(',').filter(name => name !== ''))
    .pipe(z.array(z.enum(pageColumns)))
    .optional(),
})

export function addExport(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/export',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Download the records of a job as one file',
        description:
          'Contains everything that exists at the time of the request. `warc.gz` and `wacz` hold the raw pages, `cdxj` the index of the WARC file, `har` the requests and responses for DevTools.',
        params: jobParams,
        querystring: exportQuery,
        response: { 404: problemSchema, 422: problemSchema },
      },
    },
    async (request, reply) => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const { format, ...shape } = request.query
      const stream = await exportStream(server.parts, job, format, defined(shape))
      return asDownload(
        reply,
        `${chosenId(job.id)}.${format}`,
        types[format] ?? 'application/octet-stream',
      ).send(stream)
    },
  )
}
