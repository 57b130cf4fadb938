// Selects the workspace of a scrape: the one in the body, if the key may act for it.
import type { preValidationHookHandler } from 'fastify'
import { actingFor } from '../../auth.ts'

/** Sets the caller's workspace before any store access, because the store separates workspaces by caller. */
export const actForWorkspace: preValidationHookHandler = (request, _reply, done) => {
  try {
    if (request.caller) request.caller = actingFor(request.caller, ...workspaceIn(request.body))
    done()
  } catch (error) {
    done(error as Error)
  }
}

/** The workspace that the body names. The body is not validated yet: a workspace that is not text is ignored here, and the
 *  validation refuses it later. */
function workspaceIn(body: unknown): [workspace: string | undefined, path: string] {
  const own = namedIn(body)
  if (own !== undefined) return [own, 'workspace_id']
  const targets = fieldOf(body, 'targets')
  const index = Array.isArray(targets) ? targets.findIndex(target => namedIn(target) !== undefined) : -1
  return index < 0
    ? [undefined, 'workspace_id']
    : [namedIn((targets as unknown[])[index]), `targets[${index}].workspace_id`]
}

function namedIn(value: unknown): string | undefined {
  const named = fieldOf(value, 'workspace_id') ?? fieldOf(value, 'workspaceId')
  return typeof named === 'string' && named !== '' ? named : undefined
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
