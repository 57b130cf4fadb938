// Access: API keys with scopes and limits, and the caller of a request.
import * as z from 'zod'
import { type GrantableConsent, grantableConsents } from './conduct.ts'
import { id, idOfWorkspace } from './ids.ts'

/** `read` reads, `submit` starts and controls jobs, `admin` changes global settings. Each includes the previous ones. */
export const scopes = ['read', 'submit', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** Scopes of a key: the access levels, consents for its jobs, and the live view of browsers. `admin` includes everything. */
export const keyScopes = [...scopes, ...grantableConsents, 'live_view'] as const
type KeyScope = (typeof keyScopes)[number]

function isReach(scope: KeyScope): scope is Scope {
  return (scopes as readonly string[]).includes(scope)
}

/** The default owner of jobs and records. */
export const defaultWorkspace = 'default'
/** Id of the key from the settings. It is not in the store. */
export const operatorKeyId = 'operator'

/** The stored form of an id that a client chose. It contains the workspace, so that two workspaces can choose the same id. */
export const idIn = (workspace: string, chosen: string): string =>
  workspace === defaultWorkspace ? chosen : idOfWorkspace(chosen, workspace)

export const keyLimits = z.strictObject({
  /** Limit of API requests per minute. */
  requestsPerMinute: z.int().min(1).max(1_000_000).optional(),
  /** Limit of jobs that have not ended. */
  concurrentJobs: z.int().min(1).max(1_000_000).optional(),
  /** Limit of tasks that have not ended. */
  queueDepth: z.int().min(1).max(1_000_000_000).optional(),
})
type KeyLimits = z.output<typeof keyLimits>

/** The value in a key's `workspaces` that stands for every workspace. */
export const allWorkspaces = '*'

/** The body for creating a key. */
export const newKey = z.strictObject({
  name: z.string().min(1).max(200).default('unnamed'),
  workspace: id.default(defaultWorkspace),
  scopes: z
    .array(z.enum(keyScopes))
    .refine(given => given.some(isReach), `at least one of ${scopes.join(', ')}`)
    .default(['read', 'submit']),
  limits: keyLimits.prefault({}),
  /** Other workspaces that the key may act for; `*` means all. */
  workspaces: z
    .array(z.union([id, z.literal(allWorkspaces)]))
    .max(1_000)
    .default([]),
})
export type NewKey = z.output<typeof newKey>
export type NewKeyInput = z.input<typeof newKey>

/** A stored API key: name, rights and limits. The secret key itself is not stored. */
export interface ApiKey extends NewKey {
  id: string
  /** The first characters of the secret key, so that a person can recognize it. */
  prefix: string
  createdAt: number
  revokedAt: number | null
}

/** The caller of an API request: the rights of its key. */
export interface Caller {
  keyId: string
  workspace: string
  scopes: readonly KeyScope[]
  limits: KeyLimits
  /** Other workspaces that the key may act for. */
  workspaces: readonly string[]
  /** Id of the request, for the log. */
  requestId?: string
  /** Span of the request. Jobs that the request creates belong to the same trace. */
  traceparent?: string
}

/** Whether a caller may access this workspace. */
export const mayActFor = (
  { workspace, workspaces }: Pick<Caller, 'workspace' | 'workspaces'>,
  other: string,
): boolean => other === workspace || workspaces.includes(other) || workspaces.includes(allWorkspaces)

/** Whether the scopes of a key include the required scope. */
export const mayDo = (has: readonly KeyScope[], needs: Scope): boolean =>
  has.some(scope => isReach(scope) && scopes.indexOf(scope) >= scopes.indexOf(needs))

/** Whether a key may watch and control running browsers. It needs its own scope, because a browser may show a login. */
export const mayWatch = (has: readonly KeyScope[]): boolean =>
  has.includes('live_view') || has.includes('admin')

/** Whether jobs of a key may use this consent. */
export const mayConsent = (has: readonly KeyScope[], what: GrantableConsent): boolean =>
  has.includes(what) || has.includes('admin')

/** Shown in place of a secret of a job or monitor to keys that may only read. */
export const onlyForSubmitters = 'only shown to keys that may submit'

export const secretFor = ({ scopes }: Pick<Caller, 'scopes'>, secret: string): string =>
  mayDo(scopes, 'submit') ? secret : onlyForSubmitters
