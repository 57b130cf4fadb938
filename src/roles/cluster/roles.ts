// The table of cluster roles. A process starts one role, several roles, or all of them.
import { Failure } from '../../model/failures.ts'
import type { StartRole } from './role.ts'

/** Services that a role cannot work without. The API works without Redis: jobs wait in the store. */
export type Need = 'store' | 'queue'

interface Role {
  about: string
  needs: readonly Need[]
  /** Loads the code of the role on demand, so that a process loads only its own roles. */
  start: StartRole
}

const both: readonly Need[] = ['store', 'queue']

/** Listed in the order of their start: a role starts after the roles that it needs. */
export const roles = {
  coordinator: {
    about: 'releases due tasks, sweeps, finishes jobs; one process leads, the others follow',
    needs: both,
    start: async parts => (await import('./coordinator-role.ts')).coordinator(parts),
  },
  processor: {
    about: 'parses fetched pages and commits their records',
    needs: both,
    start: async parts => (await import('./processor.ts')).processor(parts),
  },
  ingest: {
    about: 'turns uploaded files into tasks',
    needs: both,
    start: async parts => (await import('./ingest-role.ts')).ingest(parts),
  },
  'http-worker': {
    about: 'fetches plain pages and robots.txt',
    needs: both,
    start: async parts => (await import('./fetch-worker.ts')).httpWorker(parts),
  },
  api: {
    about: 'the HTTP API: accepts jobs and shows them',
    needs: ['store'],
    start: async parts => (await import('./api-role.ts')).api(parts),
  },
  'browser-worker': {
    about: 'fetches pages that need a browser, and runs actions',
    needs: both,
    start: async parts => (await import('./fetch-worker.ts')).browserWorker(parts),
  },
  'sqs-intake': {
    about: 'turns messages of an SQS queue into tasks',
    needs: ['store'],
    start: async parts => (await import('./sqs-intake.ts')).sqsIntake(parts),
  },
} satisfies Record<string, Role>

export type RoleName = keyof typeof roles

export const everyRole = Object.keys(roles) as RoleName[]

/** The roles that every cluster has. `sqs-intake` is excluded, because it needs an SQS queue. */
export const roleNames = everyRole.filter(name => name !== 'sqs-intake')

/** The roles with these names. `all` means every role of a cluster, and `sqs-intake` if a queue is set. */
export function rolesNamed(names: readonly string[], options: { hasQueue?: boolean } = {}): RoleName[] {
  const all = options.hasQueue ? everyRole : roleNames
  const wanted = names.includes('all') ? [...names.filter(name => name !== 'all'), ...all] : names
  const unknown = wanted.find(name => !(name in roles))
  if (unknown === undefined) return everyRole.filter(name => wanted.includes(name))
  throw new Failure('input.invalid', `"${unknown}" is not a role; use ${everyRole.join(', ')} or all`, {
    role: unknown,
  })
}
