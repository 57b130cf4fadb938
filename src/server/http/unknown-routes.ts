// Unknown paths (404) and unknown methods of known paths (405), in the error format of their route group.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../model/failures.ts'
import { type App, type RouteGroup, routeGroupOf } from '../app.ts'
import { answerProblem } from './problems.ts'

interface KnownRoute {
  method: string
  pattern: RegExp
}

/** Returns a list that fills while routes are added. */
export function rememberRoutes(app: App): KnownRoute[] {
  const routes: KnownRoute[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = patternOf(url)
    for (const each of Array.isArray(method) ? method : [method]) routes.push({ method: each, pattern })
  })
  return routes
}

const patternOf = (url: string): RegExp => {
  const steps = url
    .split('/')
    .map(step => (step.startsWith(':') ? '[^/]+' : step === '*' ? '.*' : literal(step)))
  return new RegExp(`^${steps.join('/')}/?$`)
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

export function answerUnknown(
  routes: readonly KnownRoute[],
  groups: readonly RouteGroup[],
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const path = request.url.split('?', 1)[0]!
  const methods = [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
  if (methods.length > 0) reply.header('allow', methods.join(', '))
  return answerProblem(
    failureOf(request.method, path, methods),
    request,
    reply,
    routeGroupOf(groups, path)?.renderProblem,
  )
}

function failureOf(method: string, path: string, methods: string[]): Failure {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  return methods.length > 0
    ? new Failure('method.not-allowed', `${shown} takes ${methods.join(', ')}, not ${method}`)
    : new Failure('route.unknown', `there is nothing at ${shown}; /docs lists the routes`)
}
