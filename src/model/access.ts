// Who may do what: API keys, their scopes and limits, and the caller that a request turned out to be.
import * as z from 'zod'
import { type GrantableConsent, grantableConsents } from './conduct.ts'
import { id, idOfWorkspace } from './ids.ts'

/** `read` looks, `submit` starts and steers work, `admin` changes what holds for everyone. Each includes the ones before. */
export const scopes = ['read', 'submit', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** What a key may have: how far it reaches, what its jobs may switch on, and the live view of browsers. `admin` includes all of it. */
export const keyScopes = [...scopes, ...grantableConsents, 'live_view'] as const
export type KeyScope = (typeof keyScopes)[number]

function isReach(scope: KeyScope): scope is Scope {
  return (scopes as readonly string[]).includes(scope)
}

/** Whose jobs and records these are, when nobody said otherwise. */
export const defaultWorkspace = 'default'
/** The id of the key that the settings give. It is in no store. */
export const operatorKeyId = 'operator'

/** Ids that clients choose are their workspace's own: two may choose the same, and neither learns of the other. */
export const idIn = (workspace: string, chosen: string): string =>
  workspace === defaultWorkspace ? chosen : idOfWorkspace(chosen, workspace)

export const keyLimits = z.strictObject({
  /** Requests to the API. */
  requestsPerMinute: z.int().min(1).max(1_000_000).optional(),
  /** Jobs that have not ended. */
  concurrentJobs: z.int().min(1).max(1_000_000).optional(),
  /** Tasks that have not ended. */
  queueDepth: z.int().min(1).max(1_000_000_000).optional(),
})
export type KeyLimits = z.output<typeof keyLimits>

/** In `workspaces` of a key: it may act for every workspace. */
export const allWorkspaces = '*'

/** What is asked for when a key is made. */
export const newKey = z.strictObject({
  name: z.string().min(1).max(200).default('unnamed'),
  workspace: id.default(defaultWorkspace),
  scopes: z
    .array(z.enum(keyScopes))
    .refine(given => given.some(isReach), `at least one of ${scopes.join(', ')}`)
    .default(['read', 'submit']),
  limits: keyLimits.prefault({}),
  /** Other workspaces that it may act for; `*` is all of them. */
  workspaces: z
    .array(z.union([id, z.literal(allWorkspaces)]))
    .max(1_000)
    .default([]),
})
export type NewKey = z.output<typeof newKey>
export type NewKeyInput = z.input<typeof newKey>

/** A key as it is kept: never the key itself, only what its holder may do. */
export interface ApiKey extends NewKey {
  id: string
  /** The first characters, to tell keys apart by eye. */
  prefix: string
  createdAt: number
  revokedAt: number | null
}

/** Who a request comes from. */
export interface Caller {
  keyId: string
  workspace: string
  scopes: readonly KeyScope[]
  limits: KeyLimits
  /** Other workspaces that its key may act for. */
  workspaces: readonly string[]
  /** The request that it comes with, for the log. */
  requestId?: string
  /** Its span, where it has one: what it asks for belongs to the same trace. */
  traceparent?: string
}

/** Whether a request may be about this workspace. */
export const mayActFor = (
  { workspace, workspaces }: Pick<Caller, 'workspace' | 'workspaces'>,
  other: string,
): boolean => other === workspace || workspaces.includes(other) || workspaces.includes(allWorkspaces)

/** Whether the scopes of a key reach as far as one asks for. */
export const mayDo = (has: readonly KeyScope[], needs: Scope): boolean =>
  has.some(scope => isReach(scope) && scopes.indexOf(scope) >= scopes.indexOf(needs))

/** Whether a key may look into running browsers and drive them. What they show may be a login. */
export const mayWatch = (has: readonly KeyScope[]): boolean =>
  has.includes('live_view') || has.includes('admin')

/** Whether jobs of a key may switch this on. */
export const mayConsent = (has: readonly KeyScope[], what: GrantableConsent): boolean =>
  has.includes(what) || has.includes('admin')
