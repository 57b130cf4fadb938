// What all workspaces share (hosts, lists, measurements) tells of everyone's work: it is for keys of the operator's own workspace.
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { type Caller, defaultWorkspace, operatorKeyId } from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import type { App } from './app.ts'

/** For all routes of a face but those that are open to everyone. Each asks after its guard, which says who calls. */
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
    `${routeOptions.url} tells of all workspaces: it needs a key of the workspace "${defaultWorkspace}", and yours is of "${caller.workspace}"`,
    { workspace: caller.workspace },
  )

/** The key that came with the process has no workspace's bounds. */
export const isOperator = ({ keyId }: Caller): boolean =>
  keyId === operatorKeyId || keyId.startsWith('local-')
