// Passes the workspace of each request to stores with row-level security.
import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { isOperator } from '../operators-only.ts'
import type { ServerParts } from '../parts.ts'

/** The workspace of a request; null for routes that cover all workspaces. */
const scopeOf = ({ routeOptions, caller }: FastifyRequest): string | null => {
  const { scope, isForOperators, isOfAnyWorkspace } = routeOptions.config
  if (scope === 'open' || isForOperators || !caller) return null
  if (isOfAnyWorkspace && caller.workspaces.length > 0) return null
  return scope === 'admin' && isOperator(caller) ? null : caller.workspace
}

/** Runs every handler, and so all its store access, within the caller's workspace. */
export function keepWithin(app: App, within: ServerParts['within']): void {
  if (!within) return
  app.addHook('preHandler', (request, _reply, done) => {
    within(scopeOf(request), done)
  })
}
