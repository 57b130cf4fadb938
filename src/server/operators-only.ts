// What all workspaces share (hosts, lists, measurements) tells of everyone's work: it is for keys of the operator's own workspace.
import type { FastifyRequest } from 'fastify'
import { defaultWorkspace } from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import type { App } from './app.ts'

/** For all routes of a face but those that are open to everyone. */
export function keepToOperators(app: App): void {
  app.addHook('onRequest', (request, _reply, done) =>
    done(isOpen(request) || isOperators(request) ? undefined : refusal(request)),
  )
}

const isOpen = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.scope === 'open'

const isOperators = ({ caller }: FastifyRequest): boolean => caller.workspace === defaultWorkspace

const refusal = ({ caller, routeOptions }: FastifyRequest): Failure =>
  new Failure(
    'request.forbidden',
    `${routeOptions.url} tells of all workspaces: it needs a key of the workspace "${defaultWorkspace}", and yours is of "${caller.workspace}"`,
    { workspace: caller.workspace },
  )
