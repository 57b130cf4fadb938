// GET /jobs/{id}/items/{item}/exchange: the requests and responses of a task, without bodies.

import { exchanges } from '../../../model/api/job-reports.ts'
import { itemParams } from '../../../model/api/jobs.ts'
import { Failure } from '../../../model/failures.ts'
import { taskId } from '../../../model/ids.ts'
import type { HeaderList } from '../../../model/page/page.ts'
import { readTaskRun } from '../../../pipeline/report/item-artifacts.ts'
import { usualHeaders } from '../../../pipeline/work/lane/job-headers.ts'
import type { App } from '../../app.ts'
import { isoTime, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { knownItem } from './items.ts'

export function addExchange(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/items/:itemId/exchange',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get the requests and responses of a task: headers, redirects, times',
        params: itemParams,
        response: { 200: exchanges, 404: problemSchema },
      },
    },
    async request => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const task = await knownItem(server, job, request.params.itemId)
      const run = await readTaskRun(server.parts, task)
      if (!run) throw new Failure('artifact.unknown', `no page of ${request.params.itemId} is stored`)
      const usual = usualHeaders(job)
      return {
        taskId: taskId(job.id, task.n),
        exchanges: run.map(({ request: asked, page }) => ({
          ...{ method: asked.method, url: page.url, finalUrl: page.finalUrl, httpStatus: page.status },
          ...{ httpVersion: page.httpVersion, remoteAddress: page.remoteAddress, hops: page.hops },
          ...{ wireBytes: page.wireBytes, bodyBytes: page.body.length },
          ...{ startedAt: isoTime(page.startedAt), endedAt: isoTime(page.endedAt) },
          requestHeaders: named(page.requestHeaders ?? (asked.headers.length > 0 ? asked.headers : usual)),
          responseHeaders: named(page.headers),
        })),
      }
    },
  )
}

const named = (headers: HeaderList) => headers.map(([name, value]) => ({ name, value }))
