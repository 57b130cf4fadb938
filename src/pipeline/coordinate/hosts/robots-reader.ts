// The identity under which a job requests robots.txt, and the circle of jobs that share the file.
import { hash } from 'node:crypto'
import { defaultWorkspace } from '../../../model/access.ts'
import type { RobotsEntry } from '../../../model/host.ts'
import type { Job, JobSpec } from '../../../model/job.ts'
import type { HostStore } from '../../../ports/store.ts'

export interface RobotsReader {
  userAgent: string
  /**
   * The name of the reader's circle; the readers of a circle share a file. Jobs with the service's own identity have
   * the empty name. Jobs with their own user agent or proxies have other circles. A site may send them another file,
   * and a tenant's proxy could send any content.
   */
  circle: string
}

interface AskingJob {
  workspace: string
  spec: Pick<JobSpec, 'policy'>
  userAgent: string
}

export function robotsReader({ workspace, spec, userAgent }: AskingJob, usualAgent: string): RobotsReader {
  const { identity, proxy } = spec.policy
  const look = [identity?.headers ?? 'own', identity?.tls ?? 'own']
  const isOperators = workspace === defaultWorkspace
  const proxies = isOperators || !proxy?.urls ? null : [workspace, proxy.urls]
  const isUsual = userAgent === usualAgent && look.every(said => said === 'own') && proxies === null
  const text = JSON.stringify([userAgent, look, proxies])
  return { userAgent, circle: isUsual ? '' : hash('sha256', text, 'base64url').slice(0, 16) }
}

/** The key of a circle's robots.txt in the store. It is a URL, so that the erasure of a host finds it. */
export const robotsKey = (origin: string, { circle }: Pick<RobotsReader, 'circle'>): string =>
  circle === '' ? origin : `${origin}/#${circle}`

/** The stored robots.txt that applied to a job: the file of its own circle, else the shared file. */
export async function robotsToldTo(
  hosts: Pick<HostStore, 'robots'>,
  { workspace, spec }: Pick<Job, 'workspace' | 'spec'>,
  origin: string,
): Promise<RobotsEntry | null> {
  const own = robotsReader({ workspace, spec, userAgent: spec.userAgent ?? '' }, '')
  const entry = (await hosts.robots(robotsKey(origin, own))) ?? (await hosts.robots(origin))
  return entry && { ...entry, origin }
}
