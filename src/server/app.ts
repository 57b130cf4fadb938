// What the app is to those who add routes to it: its type, what a route declares, and what a face is.
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
import type { GuardedServer } from './parts.ts'
import type { Problem } from './problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key must reach to call this; `open` needs none. Every route says it. */
    scope?: Scope | 'open'
    /** Also when the event loop is so late that everything else is turned away. */
    answersWhenBusy?: boolean
    /** Takes bodies of any size at any pace: it looks after them itself. */
    isUpload?: boolean
    /** Takes lists of URLs: its body may be as large as `maxBodyBytes`, others 64 KB. */
    takesLists?: boolean
    /** A probe: what others add to its URL is no reason to fail. */
    ignoresQuery?: boolean
    /** Finds what it is about in any workspace that the key may act for; the handler checks which. */
    isOfAnyWorkspace?: boolean
    /** About all workspaces: for keys of the operator's own. */
    isForOperators?: boolean
  }
  interface FastifyRequest {
    /** Who asks. Only on routes that are not `open`. */
    caller: Caller
    problem?: Problem
    /** The caller's `X-Request-ID`, where it sent a usable one. */
    clientRequestId: string | null
    /** The trace that it belongs to; null where there is none. */
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

/** One family of endpoints, with its own way to say that something went wrong. */
export interface RouteGroup {
  /** Also its heading in the docs. */
  name: string
  about: string
  /** Problems below this path are said in the face's way, unknown paths included. */
  prefix?: string
  /** The body of an answer that reports a problem. Without it: `{ error: { code, message, field?, request_id } }`. */
  renderProblem?: (problem: Problem, request: FastifyRequest) => unknown
  addRoutes: (app: App, server: GuardedServer) => void
}

/** Whose way it is to say what went wrong below a path; undefined for the usual one. */
export const routeGroupOf = (groups: readonly RouteGroup[], url: string): RouteGroup | undefined =>
  groups.find(({ prefix }) => prefix !== undefined && url.startsWith(prefix))

export type { FastifyReply, FastifyRequest }
