// The hosts API: the state of each host, and overrides that the operator sets while jobs run.
import * as z from 'zod'
import { problemsOf } from '../../../lib/text/problems.ts'
import {
  hostList,
  hostParams,
  pauseBody,
  policyBody,
  shownHost as shownSchema,
} from '../../../model/api/hosts.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import type { HostOverride } from '../../../model/conduct.ts'
import { Failure } from '../../../model/failures.ts'
import { snake } from '../../../model/letter-case.ts'
import { type HostPolicyInput, hostPolicy } from '../../../model/policy/policy.ts'
import type { HostReport } from '../../../pipeline/report/host-report.ts'
import type { App, FastifyRequest, RouteGroup } from '../../app.ts'
import { cursorAfter, placeIn } from '../../http/cursors.ts'
import { isoTime, isoTimeOrNull, problemSchema } from '../../http/responses.ts'
import { keepToOperators } from '../../operators-only.ts'
import type { Server } from '../../parts.ts'
import { RecentErrors } from './recent-errors.ts'

/** Hosts are shared by all workspaces. Only the operator may see which hosts another workspace requests. */
const config = { scope: 'admin' } as const

export const hostsApi: RouteGroup = {
  name: 'hosts',
  about:
    'The state of each host, and overrides for running jobs. All workspaces share the hosts: this API needs the scope `admin`, and a key of the workspace `default`.',
  addRoutes(app, server) {
    keepToOperators(app)
    const errors = new RecentErrors(server.parts)
    addLooking(app, server, errors)
    addPausing(app, server, errors)
    addPolicies(app, server, errors)
  },
}

function addLooking(app: App, { parts }: Server, errors: RecentErrors): void {
  app.get(
    '/hosts',
    {
      config,
      schema: {
        summary: 'List the known hosts, ordered by name',
        querystring: z.strictObject(pageQuery),
        response: { 200: hostList, 422: problemSchema },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const hosts = await parts.hosts.list({ after: placeIn(cursor, z.string()) ?? '', limit })
      return {
        hosts: hosts.filter(isRealHost).map(report => shownHost(report, errors)),
        nextCursor: cursorAfter(hosts, limit, ({ host }) => host),
      }
    },
  )
  app.get(
    '/hosts/:host',
    {
      config,
      schema: {
        summary: 'Get the state of a host',
        params: hostParams,
        response: { 200: shownSchema, 404: problemSchema },
      },
    },
    async request => shownHost(await known(parts, request.params.host), errors),
  )
}

/** Tasks without a URL are listed under `~` and the name of their scraper, which is not a host. */
const isRealHost = ({ host }: HostReport): boolean => !host.startsWith('~')

async function known({ hosts }: Server['parts'], host: string): Promise<HostReport> {
  const report = await hosts.report(host)
  if (report.isKnown) return report
  throw new Failure(
    'host.unknown',
    `${host} is unknown, because no job has requested it; GET /hosts lists the known hosts`,
    {
      host,
    },
  )
}

const answers = { 200: shownSchema, 403: problemSchema, 422: problemSchema }

function addPausing(app: App, server: Server, errors: RecentErrors): void {
  app.post(
    '/hosts/:host/pause',
    {
      config,
      schema: {
        summary: 'Pause a host',
        params: hostParams,
        body: pauseBody,
        response: answers,
      },
    },
    async request => {
      const { until, reason } = request.body ?? {}
      const pausedUntil = until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until)
      return change(server, request, errors, { pausedUntil, pauseReason: reason ?? null })
    },
  )
  app.post(
    '/hosts/:host/resume',
    { config, schema: { summary: 'Resume a host', params: hostParams, response: answers } },
    request => change(server, request, errors, { pausedUntil: 0, pauseReason: null }),
  )
}

function addPolicies(app: App, server: Server, errors: RecentErrors): void {
  app.put(
    '/hosts/:host/policy',
    {
      config,
      schema: {
        summary: 'Override the policy of a host',
        description:
          'Replaces an earlier override. Missing fields have the values of the domain policy file and the settings. Jobs can only be stricter.',
        params: hostParams,
        body: policyBody.meta({ examples: [{ rate: 0.5, concurrency: 1 }] }),
        response: answers,
      },
    },
    request => {
      refuseImpossible(request.body)
      if (request.body.proxy) server.parts.proxies.judge(request.body.proxy)
      return change(server, request, errors, { policy: request.body })
    },
  )
  app.delete(
    '/hosts/:host/policy',
    { config, schema: { summary: 'Remove the override of a host', params: hostParams, response: answers } },
    request => change(server, request, errors, { policy: null }),
  )
}

/** Valid values can still contradict each other, such as a minimum delay above the maximum. */
export function refuseImpossible(policy: HostPolicyInput): void {
  const { error } = hostPolicy.safeParse(policy)
  if (!error) return
  const [problem] = problemsOf(error, { spell: snake })
  throw new Failure('input.invalid', `${problem?.path}: ${problem?.message}`, { path: problem?.path })
}

type Change = Partial<Pick<HostOverride, 'policy' | 'pausedUntil' | 'pauseReason'>>

/** Changes the override of a host. When this resolves, the change is stored and applies. */
async function change({ parts }: Server, request: FastifyRequest, errors: RecentErrors, changed: Change) {
  const { host } = request.params as { host: string }
  const { conduct } = parts.store
  const [before] = await conduct.overrides(host)
  const { policy = null, pausedUntil = 0, pauseReason = null } = { ...before, ...changed }
  if (policy === null && pausedUntil === 0) await conduct.dropOverride(host)
  else {
    const by = request.caller.keyId
    await conduct.setOverride({ host, policy, pausedUntil, pauseReason, by, at: parts.clock.now() })
  }
  await parts.hosts.refresh()
  request.log.info(
    { host, changed: Object.keys(changed), key_id: request.caller.keyId },
    'the override of a host changed',
  )
  return shownHost(await parts.hosts.report(host), errors)
}

function shownHost(report: HostReport, errors: RecentErrors) {
  const { host, policy, rateNow, rateFactor, crawlDelayMs, denied, inFlight, requests, failures } = report
  const { paused, waits, breaker, robots } = report
  return {
    ...{ host, rateNow, rateFactor, crawlDelayMs, policy, denied, inFlight, requests, failures },
    policySet: policySetOf(report),
    paused: paused && { ...paused, until: isoTimeOrNull(paused.until), at: isoTime(paused.at) },
    breaker: { state: breaker.state, until: isoTimeOrNull(breaker.until) },
    waits: waits && { reason: waits.reason, until: isoTimeOrNull(waits.until) },
    lastErrors: errorsOf(report, errors),
    robots: robots.map(entry => ({
      ...entry,
      fetchedAt: isoTime(entry.fetchedAt),
      expiresAt: isoTime(entry.expiresAt),
    })),
  }
}

function policySetOf({ override }: HostReport) {
  if (!override?.policy) return null
  const { policy, by, at } = override
  return { policy: policy as Record<string, unknown>, by, at: isoTime(at) }
}

/** The errors of the host that this process saw. If it saw none, for example after a restart, returns the stored last error. */
function errorsOf({ host, lastError }: HostReport, errors: RecentErrors) {
  const seen = errors.of(host).map(({ code, message, at }) => ({ code, message, at: isoTime(at) }))
  if (seen.length > 0 || !lastError) return seen
  return [{ code: lastError.code, message: null, at: isoTimeOrNull(lastError.at) }]
}
