// Prepares a stored job for running: opens sealed secrets, finds the session of its workspace, reads cookies.
import { jarCookie, parseCookieFile, parseStoredOrigins } from '../fetch/http/index.ts'
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

/** Cookies of an earlier run of the session; empty for a new session. */
export async function sessionCookies(
  sessions: Pick<Sessions, 'load'>,
  { session }: JobSpec,
): Promise<Pick<LaneJob, 'sessionCookies'>> {
  if (session === undefined) return {}
  const state = await sessions.load(session)
  return { sessionCookies: JSON.stringify((state?.cookies ?? []).map(jarCookie)) }
}

/** Cookies and storage from the job's cookies file. They are not stored with the job, so every adoption reads the file. */
export function cookiesOf(file: string | undefined): Pick<LaneJob, 'cookies' | 'storage'> {
  if (!file) return { cookies: null }
  const text = readTextFile(file)
  const storage = parseStoredOrigins(text)
  return { cookies: JSON.stringify(parseCookieFile(text)), ...(storage.length > 0 && { storage }) }
}
