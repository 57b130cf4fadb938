// Data that all workspaces share (hosts, lists, metrics) reveals the work of other workspaces. So it needs a key of the
// operator's workspace.
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { type Caller, defaultWorkspace, operatorKeyId } from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import type { App } from './app.ts'

/** Accepts only keys of the operator's workspace on all routes of a group, except `open` routes. The check runs after
 *  authentication, which sets the caller. */
export function keepToOperators(app: App): void {
  app.addHook('onRoute', route => {
    if (route.config?.scope === 'open') return
    route.config = { ...route.config, isForOperators: true }
    route.onRequest = [...[route.onRequest ?? []].flat(), refuseOthers]
  })
}

const refuseOthers: onRequestHookHandler = (request, _reply, done) =>
  done(isOperators(request) ? undefined : refusal(request))

const isOperators = ({ caller }: FastifyRequest): boolean => caller.workspace === defaultWorkspace

const refusal = ({ caller, routeOptions }: FastifyRequest): Failure =>
  new Failure(
    'request.forbidden',
    `${routeOptions.url} covers all workspaces and needs a key of the workspace "${defaultWorkspace}"; yours belongs to "${caller.workspace}"`,
    { workspace: caller.workspace },
  )

/** Whether the key is the operator's key from the settings or a local key. These keys are not bound to a workspace. */
export const isOperator = ({ keyId }: Caller): boolean =>
  keyId === operatorKeyId || keyId.startsWith('local-')
