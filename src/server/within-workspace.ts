// Whose request it is, told to a store that keeps workspaces apart by itself.
import type { FastifyRequest } from 'fastify'
import type { App } from './app.ts'
import { isOperator } from './operators-only.ts'
import type { ServerParts } from './parts.ts'

/** What is open to everyone, or for the operator alone, is about all of them. */
const scopeOf = ({ routeOptions, caller }: FastifyRequest): string | null => {
  const { scope, isForOperators, isOfAnyWorkspace } = routeOptions.config
  if (scope === 'open' || isForOperators || !caller) return null
  if (isOfAnyWorkspace && caller.workspaces.length > 0) return null
  return scope === 'admin' && isOperator(caller) ? null : caller.workspace
}

/** From here on, whatever a handler asks of the store is asked on behalf of its caller. */
export function keepWithin(app: App, within: ServerParts['within']): void {
  if (!within) return
  app.addHook('preHandler', (request, _reply, done) => {
    within(scopeOf(request), done)
  })
}
