// Diagnoses across processes. Each process answers for all its roles under its own name. Profiles are passed through the bucket.
import { randomUUID } from 'node:crypto'
import type { ProfileRequest } from '../../model/diagnosis.ts'
import { reportOnProcess } from '../../observe/diagnose/process-report.ts'
import { profileFile, profileHere } from '../../observe/diagnose/profiles.ts'
import { RecentEvents } from '../../observe/diagnose/recent-events.ts'
import { redactionFor } from '../../observe/diagnose/redaction.ts'
import type { DistantWorkers } from '../../observe/diagnose/service-diagnostics.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Calls } from '../../ports/calls.ts'
import { diagnosticsPrefix } from '../../results/keys.ts'
import type { RoleParts, Running } from './role.ts'
import { openBlobs, openCalls } from './services.ts'

type Question = { say: 'report' } | { say: 'profile'; request: ProfileRequest; key: string }

const reportWithinMs = 10_000
/** Timeout of a profile. It is long, because writing a heap snapshot of gigabytes takes minutes. */
const profileWithinMs = 120_000

/** The service name of a role's process: `http-worker-node-7-4711-2` is the second role of process `node-7-4711`. */
const serviceOf = (name: string): string => `diagnose.${processOf(name)}`

export function processOf(name: string): string {
  const [, rest = name] =
    /^(?:coordinator|processor|ingest|http-worker|browser-worker|api)-(.+)$/.exec(name) ?? []
  return rest.replace(/-\d+$/, '')
}

/** Answers requests for reports and profiles until `opened` is disposed. */
export async function answerDiagnoses(
  opened: AsyncDisposableStack,
  parts: RoleParts,
  running: ReadonlyMap<string, Running>,
): Promise<void> {
  const [first] = running.values()
  if (!first) return
  const calls = opened.use(await openCalls(parts.settings, { mayBeAway: true }))
  const recent = new RecentEvents()
  opened.defer(parts.events.listen(recent.hear))
  const redact = redactionFor(parts.settings)
  const state = () =>
    [...running].map(([role, { name, held, leads }]) => ({
      role,
      name,
      held: held(),
      leads: leads?.() ?? null,
    }))
  const over = new AbortController()
  const answer = async (question: Question): Promise<unknown> => {
    if (question.say === 'report') return redact(await reportOnProcess(parts.settings, { recent, state }))
    await using blobs = await openBlobs(parts.settings)
    await blobs.putStream(question.key, profileHere(question.request))
    return null
  }
  const serving = calls.serve(serviceOf(first.name), answer, over.signal)
  opened.defer(async () => {
    over.abort()
    await serving.catch(() => {})
  })
}

export function distantWorkers(calls: Calls, blobs: Blobs): DistantWorkers {
  const ask = <Answer>(name: string, question: Question, withinMs: number): Promise<Answer> =>
    calls.ask(serviceOf(name), question, {
      ...{ withinMs, late: `${name} does not answer`, againMs: withinMs },
    })
  return {
    report: name => ask(name, { say: 'report' }, reportWithinMs),
    async *profile(name, request) {
      const key = `${diagnosticsPrefix}${randomUUID()}/${profileFile(request)}`
      const waitMs = profileWithinMs + (request.kind === 'cpu' ? request.seconds * 1_000 : 0)
      try {
        await ask(name, { say: 'profile', request, key }, waitMs)
        yield* blobs.openRead(key)
      } finally {
        await blobs.delete([key])
      }
    },
  }
}
