// Private addresses: the operator allows them per run, not per job, so a resume needs the permission again.
import type { EgressGate } from '../fetch/http/index.ts'
import { Failure } from '../model/failures.ts'
import type { Job } from '../model/job.ts'

/** Refused as a whole and before anything runs: one by one, all tasks of such a host would fail. */
export function refuseClosedPlaces(gate: EgressGate, hosts: Iterable<{ host: string }>, job: Job): void {
  for (const url of namedUrls(job)) refuse(job, [url], gate)
  for (const { host } of hosts)
    if (host !== '' && !host.startsWith('~')) refuse(job, [`http://${host}/`, `https://${host}/`], gate)
}

const namedUrls = ({ spec: { seedUrls = [], urls = [], sitemapUrl } }: Job): string[] => [
  ...seedUrls,
  ...urls,
  ...(sitemapUrl ? [sitemapUrl] : []),
]

/** The scheme of a waiting host is not known here; it is closed when it is closed for both. */
function refuse(job: Job, spellings: string[], gate: EgressGate): void {
  const failures = spellings.map(url => failureOf(gate, url))
  const [first] = failures
  if (!first || failures.includes(null)) return
  const why = 'leave to fetch private places is not kept with a job, it is given for each run'
  throw new Failure(first.code, `job ${job.id} can't go on: ${first.message} (${why})`, {
    jobId: job.id,
    ...first.details,
  })
}

function failureOf(gate: EgressGate, url: string): Failure | null {
  try {
    gate.judgeUrl(url)
    return null
  } catch (error) {
    return error as Failure
  }
}
