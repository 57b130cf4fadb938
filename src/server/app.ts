// Types for code that adds routes: the app, the config of a route, and the route group.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Caller, Scope } from '../model/access.ts'
import type { BegunTrace } from '../ports/traces.ts'
import type { Problem } from './http/problems.ts'
import type { GuardedServer } from './parts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a key needs for this route; `open` needs no key. Every route declares it. */
    scope?: Scope | 'open'
    /** Served even if the event loop is overloaded and other requests are refused. */
    answersWhenBusy?: boolean
    /** Accepts bodies of any size and rate, and checks them itself. */
    isUpload?: boolean
    /** The body may contain a list of URLs and have up to `maxBodyBytes`; other routes accept 64 KB. */
    takesLists?: boolean
    /** A probe route: unknown query parameters are ignored instead of refused. */
    ignoresQuery?: boolean
    /** The handler searches every workspace that the key may act for, and checks access itself. */
    isOfAnyWorkspace?: boolean
    /** The route covers all workspaces, so it needs a key of the operator. */
    isForOperators?: boolean
  }
  interface FastifyRequest {
    /** The authenticated caller. Only set on routes that are not `open`. */
    caller: Caller
    problem?: Problem
    /** The caller's `X-Request-ID`; null if there is none or if it is not safe for logs. */
    clientRequestId: string | null
    /** The trace of the request; null without tracing. */
    readonly trace: BegunTrace | null
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>

/** A group of routes with its own error format. */
export interface RouteGroup {
  /** The name of the group, also its heading in the API documentation. */
  name: string
  about: string
  /** Error responses below this path use the group's error format, also for unknown paths. */
  prefix?: string
  /** Body of an error response. Default: `{ error: { code, message, field?, request_id } }`. */
  renderProblem?: (problem: Problem, request: FastifyRequest) => unknown
  addRoutes: (app: App, server: GuardedServer) => void
}

/** The route group whose error format applies to a URL; undefined for the default format. */
export const routeGroupOf = (groups: readonly RouteGroup[], url: string): RouteGroup | undefined =>
  groups.find(({ prefix }) => prefix !== undefined && url.startsWith(prefix))

export type { FastifyReply, FastifyRequest }
