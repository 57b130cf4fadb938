// A job as it runs, made from what the store keeps of it: secrets opened, sessions by their workspace's own name, cookies read.
import { jarCookie, parseCookieFile } from '../fetch/http/index.ts'
import { readTextFile } from '../lib/text/text-file.ts'
import type { Job, JobSpec } from '../model/job.ts'
import type { LaneJob } from '../model/lane.ts'
import { openHeaders } from '../pipeline/submit/sealed-headers.ts'
import type { Sealer } from '../ports/secrets.ts'
import { type Sessions, sessionOf } from './sessions.ts'

export function asItRuns(sealer: Sealer, job: Job): Job {
  const spec = openHeaders(sealer, job.id, job.spec)
  const session = sessionOf(job)
  return { ...job, spec: session === undefined ? spec : { ...spec, session } }
}

/** Cookies that an earlier run left under the session's name; none where it is a new one. */
export async function sessionCookies(
  sessions: Pick<Sessions, 'load'>,
  { session }: JobSpec,
): Promise<Pick<LaneJob, 'sessionCookies'>> {
  if (session === undefined) return {}
  const state = await sessions.load(session)
  return { sessionCookies: JSON.stringify((state?.cookies ?? []).map(jarCookie)) }
}

/** Read anew each time the job is taken in hand: what is in a cookie is not kept with it. */
export const cookiesOf = (file: string | undefined): string | null =>
  file ? JSON.stringify(parseCookieFile(readTextFile(file))) : null
