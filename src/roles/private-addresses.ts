// Permissions for private addresses. The operator gives them per run, not per job, so resuming a job needs the permission again.
import type { EgressGate } from '../fetch/http/index.ts'
import { Failure } from '../model/failures.ts'
import type { Job } from '../model/job.ts'

/** Refuses the whole job before it runs. Otherwise all tasks of such a host would fail one by one. */
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

/** Throws if the gate refuses all `spellings`: the URLs of one host with http and with https, because the scheme of its
 *  tasks is unknown. */
function refuse(job: Job, spellings: string[], gate: EgressGate): void {
  const failures = spellings.map(url => failureOf(gate, url))
  const [first] = failures
  if (!first || failures.includes(null)) return
  const why = 'the permission to fetch private addresses is not stored with a job; give it for each run'
  throw new Failure(first.code, `job ${job.id} cannot continue: ${first.message} (${why})`, {
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
