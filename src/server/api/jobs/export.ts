// GET /jobs/{id}/export: all records (or pages) of a job as one file in any format, made while it is sent.

import * as z from 'zod'
import { chosenId } from '../../../model/ids.ts'
import { outputFormats } from '../../../model/job.ts'
import { exportStream } from '../../../pipeline/report/export-stream.ts'
import { problemSchema } from '../../answers.ts'
import type { App } from '../../app.ts'
import { asDownload } from '../../downloads.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { jobParams } from './schemas.ts'

const types: Partial<Record<(typeof outputFormats)[number], string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  cdxj: 'text/plain; charset=utf-8',
  wacz: 'application/wacz',
  sqlite: 'application/vnd.sqlite3',
}

export function addExport(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/export',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'The records of a job as one file',
        description:
          'What there is at the time it is asked for; `warc.gz` and `wacz` hold the raw pages, `cdxj` the index of the former.',
        params: jobParams,
        querystring: z.strictObject({ format: z.enum(outputFormats).default('jsonl') }),
        response: { 404: problemSchema, 422: problemSchema },
      },
    },
    async (request, reply) => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const { format } = request.query
      const stream = await exportStream(server.parts, job, format)
      return asDownload(
        reply,
        `${chosenId(job.id)}.${format}`,
        types[format] ?? 'application/octet-stream',
      ).send(stream)
    },
  )
}
