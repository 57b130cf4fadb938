// The hosts face: how each host stands, and what the operator sets for it while jobs run.
import * as z from 'zod'
import { problemsOf } from '../../../lib/text/problems.ts'
import type { HostOverride } from '../../../model/conduct.ts'
import { Failure } from '../../../model/failures.ts'
import { snake } from '../../../model/letter-case.ts'
import { type HostPolicyInput, hostPolicy } from '../../../model/policy/policy.ts'
import type { HostReport } from '../../../pipeline/report/host-report.ts'
import { pageQuery, problemSchema } from '../../answers.ts'
import type { App, FastifyRequest, RouteGroup } from '../../app.ts'
import { cursorOf, placeIn } from '../../cursors.ts'
import { keepToOperators } from '../../operators-only.ts'
import type { Server } from '../../parts.ts'
import { RecentErrors } from './recent-errors.ts'
import { hostList, hostParams, pauseBody, policyBody, shownHost as shownSchema } from './schemas.ts'
import { shownHost } from './shown.ts'

/** Hosts are everyone's: who is asked by one workspace is not for another to see, so it takes the operator's rights. */
const config = { scope: 'admin' } as const

export const hostsApi: RouteGroup = {
  name: 'hosts',
  about:
    'How each host stands, and what is set for it while jobs run. Hosts are shared by all workspaces: it needs the scope `admin`, and a key of the workspace `default`.',
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
        summary: 'The hosts that were asked, by name',
        querystring: z.strictObject(pageQuery),
        response: { 200: hostList, 422: problemSchema },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const hosts = await parts.hosts.list({ after: placeIn(cursor, z.string()) ?? '', limit })
      const last = hosts.length === limit ? hosts.at(-1) : undefined
      return {
        hosts: hosts.map(report => shownHost(report, errors)),
        nextCursor: last ? cursorOf(last.host) : null,
      }
    },
  )
  app.get(
    '/hosts/:host',
    {
      config,
      schema: {
        summary: 'How a host stands',
        params: hostParams,
        response: { 200: shownSchema, 404: problemSchema },
      },
    },
    async request => shownHost(await known(parts, request.params.host), errors),
  )
}

async function known({ hosts }: Server['parts'], host: string): Promise<HostReport> {
  const report = await hosts.report(host)
  if (report.isKnown) return report
  throw new Failure('host.unknown', `${host} was never asked here; GET /hosts lists those that were`, {
    host,
  })
}

const answers = { 200: shownSchema, 403: problemSchema, 422: problemSchema }

function addPausing(app: App, server: Server, errors: RecentErrors): void {
  app.post(
    '/hosts/:host/pause',
    {
      config,
      schema: {
        summary: 'Ask nothing of a host for a while',
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
    { config, schema: { summary: 'Ask a host again', params: hostParams, response: answers } },
    request => change(server, request, errors, { pausedUntil: 0, pauseReason: null }),
  )
}

function addPolicies(app: App, server: Server, errors: RecentErrors): void {
  app.put(
    '/hosts/:host/policy',
    {
      config,
      schema: {
        summary: 'Set how a host may be asked, over the file of domain policies',
        description: 'What is left out stays as the file and the settings say. Jobs can only be stricter.',
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
    { config, schema: { summary: 'Go back to the file’s policy', params: hostParams, response: answers } },
    request => change(server, request, errors, { policy: null }),
  )
}

/** Values that each are right may not go together: a least delay above the most. */
function refuseImpossible(policy: HostPolicyInput): void {
  const { error } = hostPolicy.safeParse(policy)
  if (!error) return
  const [problem] = problemsOf(error, { spell: snake })
  throw new Failure('input.invalid', `${problem?.path}: ${problem?.message}`, { path: problem?.path })
}

type Change = Partial<Pick<HostOverride, 'policy' | 'pausedUntil' | 'pauseReason'>>

/** In force when it is answered, and after a restart. */
async function change({ parts }: Server, request: FastifyRequest, errors: RecentErrors, changed: Change) {
  const { host } = request.params as { host: string }
  const { conduct } = parts.store
  const before = await conduct.override(host)
  const { policy = null, pausedUntil = 0, pauseReason = null } = { ...before, ...changed }
  if (policy === null && pausedUntil === 0) await conduct.dropOverride(host)
  else {
    const by = request.caller.keyId
    await conduct.setOverride({ host, policy, pausedUntil, pauseReason, by, at: parts.clock.now() })
  }
  await parts.hosts.refresh()
  request.log.info({ host, changed: Object.keys(changed), key_id: request.caller.keyId }, 'a host was set')
  return shownHost(await parts.hosts.report(host), errors)
}
