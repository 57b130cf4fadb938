// What kscrape keys does.
import { problemsOf } from '../lib/problems.ts'
import { type ApiKey, newKey } from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import { listKeys, makeKey, revokeKey } from '../roles/key-ring.ts'
import type { CommonFlags } from './flags.ts'
import { table } from './job-tables.ts'
import { print, printJson } from './print.ts'
import { settingsFor } from './visit.ts'

interface CreateFlags extends CommonFlags {
  name: string
  workspace: string
  scope?: string[]
  requestsPerMinute?: number
  concurrentJobs?: number
  queueDepth?: number
}

export async function create(flags: CreateFlags): Promise<void> {
  const { name, workspace, scope, requestsPerMinute, concurrentJobs, queueDepth } = flags
  const limits = { requestsPerMinute, concurrentJobs, queueDepth }
  const parsed = newKey.safeParse({ name, workspace, limits, ...(scope && { scopes: scope }) })
  if (!parsed.success) {
    const lines = problemsOf(parsed.error).map(({ path, message }) => `${path}: ${message}`)
    throw new Failure('input.invalid', `the key can't be made: ${lines.join('; ')}`)
  }
  const { settings } = await settingsFor(flags)
  const made = await makeKey(settings.dataDir, parsed.data)
  if (flags.json) return printJson({ ...factsOf(made), key: made.key })
  print(made.key)
  process.stderr.write(`${made.id}: shown this once; send it as "Authorization: Bearer KEY"\n`)
}

export async function listAll(flags: CommonFlags): Promise<void> {
  const { settings } = await settingsFor(flags)
  const keys = await listKeys(settings.dataDir)
  if (flags.json) for (const key of keys) printJson(factsOf(key))
  else print(table(['key', 'begins', 'name', 'workspace', 'scopes', 'state'], keys.map(rowOf)))
}

export async function revoke(keyId: string, flags: CommonFlags): Promise<void> {
  const { settings } = await settingsFor(flags)
  const key = await revokeKey(settings.dataDir, keyId)
  if (flags.json) printJson(factsOf(key))
  else if (!flags.quiet) process.stderr.write(`${keyId} is revoked\n`)
}

const rowOf = (key: ApiKey): string[] => [
  key.id,
  key.prefix,
  key.name,
  key.workspace,
  key.scopes.join(','),
  key.revokedAt === null ? 'in use' : 'revoked',
]

const factsOf = (key: ApiKey) => ({
  key_id: key.id,
  prefix: key.prefix,
  name: key.name,
  workspace: key.workspace,
  scopes: key.scopes,
  created_at: new Date(key.createdAt).toISOString(),
  revoked_at: key.revokedAt && new Date(key.revokedAt).toISOString(),
})
