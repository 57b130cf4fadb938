// The roles of a cluster: rows of one table, each started by itself or all in one process.
import { Failure } from '../../model/failures.ts'
import type { StartRole } from './role.ts'

/** What a role cannot serve without. Callers of the API reach it while Redis is down: jobs wait in the store. */
export type Need = 'store' | 'queue'

interface Role {
  about: string
  needs: readonly Need[]
  /** Loads the code of the role: a process loads only what its roles need. */
  start: StartRole
}

const both: readonly Need[] = ['store', 'queue']

/** In the order in which they are started: what others stand on comes first. */
export const roles = {
  coordinator: {
    about: 'releases due tasks, sweeps, finishes jobs; one leads, others stand by',
    needs: both,
    start: async parts => (await import('./coordinator-role.ts')).coordinator(parts),
  },
  processor: {
    about: 'reads fetched pages and writes down what is in them',
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

/** What every cluster has. `sqs-intake` is for those with a queue. */
export const roleNames = everyRole.filter(name => name !== 'sqs-intake')

/** Those that are named. `all` is every one that a cluster has, and the intake where a queue is set. */
export function rolesNamed(names: readonly string[], options: { hasQueue?: boolean } = {}): RoleName[] {
  const all = options.hasQueue ? everyRole : roleNames
  const wanted = names.includes('all') ? [...names.filter(name => name !== 'all'), ...all] : names
  const unknown = wanted.find(name => !(name in roles))
  if (unknown === undefined) return everyRole.filter(name => wanted.includes(name))
  throw new Failure('input.invalid', `there is no role "${unknown}": ${everyRole.join(', ')} or all`, {
    role: unknown,
  })
}
