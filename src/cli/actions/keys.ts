// The actions of kscrape keys.
import type { Client, KeyShown } from '../../client.ts'
import { problemsOf } from '../../lib/text/problems.ts'
import { type ApiKey, type NewKey, newKey } from '../../model/access.ts'
import { Failure } from '../../model/failures.ts'
import { listKeys, makeKey, revokeKey } from '../../roles/local/keys.ts'
import { rotateSeal } from '../../roles/maintenance/rotate-seal.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { print, printJson } from '../print.ts'
import { serviceFor } from '../service.ts'
import { table } from '../show/job-tables.ts'

interface CreateFlags extends CommonFlags {
  name: string
  workspace: string
  scope?: string[]
  actsFor?: string[]
  requestsPerMinute?: number
  concurrentJobs?: number
  queueDepth?: number
}

export async function create(flags: CreateFlags): Promise<void> {
  const { name, workspace, scope, actsFor, requestsPerMinute, concurrentJobs, queueDepth } = flags
  const limits = { requestsPerMinute, concurrentJobs, queueDepth }
  const parsed = newKey.safeParse({
    name,
    workspace,
    limits,
    workspaces: actsFor ?? [],
    ...(scope && { scopes: scope }),
  })
  if (!parsed.success) {
    const lines = problemsOf(parsed.error).map(({ path, message }) => `${path}: ${message}`)
    throw new Failure('input.invalid', `the key can't be made: ${lines.join('; ')}`)
  }
  const made = await (await keysFor(flags)).make(parsed.data)
  if (flags.json) return printJson({ ...factsOf(made), key: made.key })
  print(made.key)
  process.stderr.write(`${made.id}: shown only once; send it as "Authorization: Bearer KEY"\n`)
}

export async function listAll(flags: CommonFlags): Promise<void> {
  const keys = await (await keysFor(flags)).list()
  if (flags.json) for (const key of keys) printJson(factsOf(key))
  else print(table(['key', 'begins', 'name', 'workspace', 'scopes', 'state'], keys.map(rowOf)))
}

export async function revoke(keyId: string, flags: CommonFlags): Promise<void> {
  const key = await (await keysFor(flags)).revoke(keyId)
  if (flags.json) printJson(factsOf(key))
  else if (!flags.quiet) process.stderr.write(`${keyId} is revoked\n`)
}

export async function rotate(flags: CommonFlags): Promise<void> {
  const done = await rotateSeal((await settingsFor(flags)).settings)
  if (flags.json) return printJson(done)
  print(`sealed with the new key: ${done.jobs} jobs, ${done.schedules} schedules, ${done.sessions} sessions`)
}

interface KeyDirectory {
  make(key: NewKey): Promise<ApiKey & { key: string }>
  list(): Promise<ApiKey[]>
  revoke(keyId: string): Promise<ApiKey>
}

/** The keys of a service, or of the local data directory. */
async function keysFor(flags: CommonFlags): Promise<KeyDirectory> {
  const service = await serviceFor(flags)
  if (service) return keysOf(service)
  const { dataDir } = (await settingsFor(flags)).settings
  return {
    make: key => makeKey(dataDir, key),
    list: () => listKeys(dataDir),
    revoke: keyId => revokeKey(dataDir, keyId),
  }
}

export const keysOf = ({ keys }: Client): KeyDirectory => ({
  async make(wanted) {
    const made = await keys.create(wanted)
    return { ...keyOf(made), key: made.key }
  },
  list: async () => (await keys.list()).map(keyOf),
  revoke: async keyId => keyOf(await keys.revoke(keyId)),
})

const keyOf = ({ keyId, createdAt, revokedAt, ...key }: KeyShown): ApiKey => ({
  ...key,
  id: keyId,
  createdAt: Date.parse(createdAt),
  revokedAt: revokedAt === null ? null : Date.parse(revokedAt),
})

export const rowOf = (key: ApiKey): string[] => [
  key.id,
  key.prefix,
  key.name,
  key.workspace,
  key.scopes.join(','),
  key.revokedAt === null ? 'in use' : 'revoked',
]

export const factsOf = (key: ApiKey) => ({
  key_id: key.id,
  prefix: key.prefix,
  name: key.name,
  workspace: key.workspace,
  scopes: key.scopes,
  created_at: new Date(key.createdAt).toISOString(),
  revoked_at: key.revokedAt && new Date(key.revokedAt).toISOString(),
})
