// As whom a job asks for robots.txt, and with whom it shares what it was told.
import { hash } from 'node:crypto'
import { defaultWorkspace } from '../../model/access.ts'
import type { RobotsEntry } from '../../model/host.ts'
import type { Job, JobSpec } from '../../model/job.ts'
import type { HostStore } from '../../ports/store.ts'

export interface RobotsReader {
  userAgent: string
  /**
   * Readers of one circle share what they were told. The empty name is everybody who asks as this service does. A site may tell
   * another user agent something else, and a proxy of a tenant's own could tell anything: such readers have circles of their own.
   */
  circle: string
}

interface AskingJob {
  workspace?: string | undefined
  spec: Pick<JobSpec, 'policy'>
  userAgent: string
}

export function robotsReader({ workspace, spec, userAgent }: AskingJob, usualAgent: string): RobotsReader {
  const { identity, proxy } = spec.policy
  const look = [identity?.headers ?? 'own', identity?.tls ?? 'own']
  const isOperators = (workspace ?? defaultWorkspace) === defaultWorkspace
  const proxies = isOperators || !proxy?.urls ? null : [workspace, proxy.urls]
  const isUsual = userAgent === usualAgent && look.every(said => said === 'own') && proxies === null
  const text = JSON.stringify([userAgent, look, proxies])
  return { userAgent, circle: isUsual ? '' : hash('sha256', text, 'base64url').slice(0, 16) }
}

/** What the store has a circle's robots.txt under. It is a URL, so that erasing a host finds it. */
export const robotsKey = (origin: string, { circle }: Pick<RobotsReader, 'circle'>): string =>
  circle === '' ? origin : `${origin}/#${circle}`

/** What a job was told, from its own circle or, where that was told nothing, from everybody's. */
export async function robotsToldTo(
  hosts: Pick<HostStore, 'robots'>,
  { workspace, spec }: Pick<Job, 'workspace' | 'spec'>,
  origin: string,
): Promise<RobotsEntry | null> {
  const own = robotsReader({ workspace, spec, userAgent: spec.userAgent ?? '' }, '')
  const entry = (await hosts.robots(robotsKey(origin, own))) ?? (await hosts.robots(origin))
  return entry && { ...entry, origin }
}
