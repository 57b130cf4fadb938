// Resources: jobs, their records and their pages, by URI, for clients that attach them to a conversation.
import type { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { Failure } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import { mapKeys, snake } from '../../../model/letter-case.ts'
import { resultPart, statusOf } from './job-tools.ts'
import { jobOf, type ToolContext } from './jobs.ts'
import { pagePart } from './page-tools.ts'
import type { ToolResult } from './tool.ts'
import { fenced } from './untrusted-text.ts'

/** Maximum number of jobs in the list of resources. */
const listedJobs = 50

export function addResources(
  mcp: McpServer,
  Template: typeof ResourceTemplate,
  context: ToolContext,
  usualChars: number,
): void {
  const json = { mimeType: 'application/json' }
  const list = async () => ({ resources: (await recentJobs(context)).map(jobResource) })
  mcp.registerResource(
    'jobs',
    'kscrape://jobs',
    {
      title: 'Recent jobs',
      description: `The last ${listedJobs} jobs of the workspace, newest first.`,
      ...json,
    },
    async uri => {
      const jobs = await recentJobs(context)
      return contents(uri, 'application/json', JSON.stringify(jobs.map(summary), null, 2))
    },
  )
  mcp.registerResource(
    'job',
    new Template('kscrape://jobs/{job_id}', { list }),
    { title: 'A job', description: 'Status and counts of a job.', ...json },
    async (uri, { job_id: id }) => {
      const { facts } = await statusOf(context, await jobOf(context, String(id)))
      return contents(uri, 'application/json', JSON.stringify(mapKeys(facts, snake), null, 2))
    },
  )
  mcp.registerResource(
    'records',
    new Template('kscrape://jobs/{job_id}/records', { list: undefined }),
    {
      title: 'Records of a job',
      description:
        'The first records and failures of a job; to read the rest, call the tool job_results with next_cursor.',
      mimeType: 'text/plain',
    },
    async (uri, { job_id: id }) => {
      const job = await jobOf(context, String(id))
      return marked(uri, await resultPart(context, job, { record: 0, failure: 0 }, usualChars))
    },
  )
  mcp.registerResource(
    'page',
    new Template('kscrape://jobs/{job_id}/pages/{n}', { list: undefined }),
    {
      title: 'A page of a job',
      description:
        'The text of the n-th page of a job as Markdown; to read the rest, call the tool scrape with next_cursor.',
      mimeType: 'text/markdown',
    },
    async (uri, { job_id: id, n }) => {
      const { id: job } = await jobOf(context, String(id))
      return marked(uri, await pagePart(context, { job, n: pageNumber(n), from: 0, main: false }, usualChars))
    },
  )
}

const recentJobs = ({ server, caller }: ToolContext): Promise<Job[]> =>
  server.parts.store.jobs.list({ workspace: caller.workspace, limit: listedJobs })

const jobResource = (job: Job) => ({
  uri: `kscrape://jobs/${encodeURIComponent(job.id)}`,
  name: job.id,
  description: `${job.state}, created ${new Date(job.createdAt).toISOString()}`,
  mimeType: 'application/json',
})

const summary = ({ id, state, reason, createdAt }: Job) => ({
  job_id: id,
  status: state,
  reason,
  created_at: new Date(createdAt).toISOString(),
})

function pageNumber(given: unknown): number {
  const n = Number(given)
  if (Number.isSafeInteger(n) && n >= 1) return n
  throw new Failure(
    'input.invalid',
    `the number of a page is 1 or more, not "${String(given).slice(0, 100)}"`,
  )
}

const contents = (uri: URL, mimeType: string, text: string) => ({
  contents: [{ uri: uri.href, mimeType, text }],
})

/** Facts of this service first, then the text of the site between markers of untrusted text. */
function marked(uri: URL, { facts, text = '', hidden }: ToolResult) {
  const own = JSON.stringify(mapKeys(facts, snake))
  return contents(uri, 'text/plain', `${own}\n${fenced(text, hidden).text}`)
}
