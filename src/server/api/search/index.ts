// The search API: finds records of the caller's workspace by words and fields.

import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { parseFilter } from '../../../lib/text/field-filters.ts'
import type { Caller } from '../../../model/access.ts'
import { foundRecords, searchBody, searchQuery } from '../../../model/api/search.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId } from '../../../model/ids.ts'
import type { FieldFilter, RecordQuery } from '../../../model/record-query.ts'
import { recordItem } from '../../../pipeline/report/result-items.ts'
import type { App, RouteGroup } from '../../app.ts'
import { cursorAfter, placeIn } from '../../http/cursors.ts'
import { problemSchema } from '../../http/responses.ts'
import { storedJobId } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'

const config = { scope: 'read' } as const
const description =
  'Returns the newest records first. Very new records may still be missing in the word index, but field filters find them.'

export const searchApi: RouteGroup = {
  name: 'search',
  about: 'Search the records of all jobs of the workspace by words and fields.',
  addRoutes(app, server) {
    addAsking(app, server)
    addPosting(app, server)
  },
}

function addAsking(app: App, server: Server): void {
  app.get(
    '/search',
    {
      config,
      schema: {
        summary: 'Find records',
        description,
        querystring: searchQuery,
        response: { 200: foundRecords, 422: problemSchema },
      },
    },
    request => {
      const { q, filter: given = [], ...rest } = request.query
      const filters = [given].flat().map(text => parseFilter(text))
      return answer(server, request.caller, { ...rest, text: q, filters })
    },
  )
}

function addPosting(app: App, server: Server): void {
  app.post(
    '/search',
    {
      config,
      schema: {
        summary: 'Find records, with filters as JSON',
        description,
        body: searchBody,
        response: { 200: foundRecords, 422: problemSchema },
      },
    },
    request => answer(server, request.caller, request.body),
  )
}

type Asked = Omit<z.output<typeof searchBody>, 'filters'> & { filters: FieldFilter[] }

async function answer(server: Server, caller: Caller, asked: Asked) {
  const { parts, settings } = server
  if (asked.text !== undefined && !settings.search)
    throw new Failure('feature.missing', 'the word index is off (SCRAPER_SEARCH); filter by fields instead', {
      path: 'text',
    })
  const jobId = asked.jobId && (await storedJobId(server, caller, asked.jobId))
  const query = queryOf(caller.workspace, { ...asked, jobId })
  const records = await parts.store.search.query(query)
  return {
    records: records.map(record => ({ jobId: chosenId(record.jobId), ...withoutStatus(recordItem(record)) })),
    nextCursor: cursorAfter(records, query.limit, ({ seq }) => seq),
  }
}

/** Removes the field `status`, because a search finds only records, whose status is always `success`. */
const withoutStatus = ({ status: _status, ...item }: ReturnType<typeof recordItem>) => item

export function queryOf(
  workspace: string,
  { text, filters, jobId, host, scraper, limit, cursor }: Asked,
): RecordQuery {
  const before = placeIn(cursor, z.int().min(1))
  return {
    workspace,
    filters,
    limit,
    ...defined({ text, jobId, host: host?.toLowerCase(), scraper, before }),
  }
}
