// Diagnoses of a service: its jobs, itself, and its workers.
import type { Settings } from '../../config/settings.ts'
import type { Diagnosis, ProfileRequest } from '../../model/diagnosis.ts'
import { Failure } from '../../model/failures.ts'
import type { Job } from '../../model/job.ts'
import { diagnoseJob } from '../../pipeline/report/diagnose-job.ts'
import type { Diagnostics, ServerParts } from '../../server/parts.ts'
import { reportOnProcess } from './process-report.ts'
import { profileHere } from './profiles.ts'
import type { RecentEvents } from './recent-events.ts'
import { type Redact, redactionFor } from './redaction.ts'

/** Requests reports and profiles of other processes by name. The reports are already redacted. */
export interface DistantWorkers {
  report(name: string): Promise<Record<string, unknown>>
  profile(name: string, request: ProfileRequest): AsyncIterable<Buffer>
}

interface DiagnosedService {
  parts: Pick<ServerParts, 'store' | 'engine' | 'hosts' | 'fleet' | 'health' | 'within'>
  settings: Settings
  recent: RecentEvents
  distant?: DistantWorkers | undefined
}

/** The name for the process that handles the request itself. */
const itself = 'service'

export function serviceDiagnostics(service: DiagnosedService): Diagnostics {
  const redact = redactionFor(service.settings)
  return {
    async report(name) {
      const about = await aboutOf(service, name, redact)
      const own = await ownSections(service)
      return redact({ ...about, madeAt: new Date().toISOString(), sections: { ...own, ...about.sections } })
    },
    async profile(name, request) {
      const { distant } = service
      const isWorker = workersOf(service).includes(name)
      if (isWorker && distant) return distant.profile(name, request)
      if (isWorker || name === itself || (await jobOf(service, name))) return profileHere(request)
      throw unknownName(name, workersOf(service))
    },
  }
}

const jobOf = ({ parts }: DiagnosedService, name: string): Promise<Job | null> =>
  ofAll(parts)(() => parts.store.jobs.get(name))

const ofAll =
  ({ within }: DiagnosedService['parts']) =>
  <Result>(work: () => Result): Result =>
    within ? within(null, work) : work()

const workersOf = ({ parts }: DiagnosedService): string[] => parts.fleet().workers.map(({ name }) => name)

type About = Pick<Diagnosis, 'about' | 'name' | 'sections'>

async function aboutOf(service: DiagnosedService, name: string, redact: Redact): Promise<About> {
  const { parts, distant } = service
  const { store, engine, hosts } = parts
  const job = await jobOf(service, name)
  if (job) {
    const own = { store, progress: engine.progress.bind(engine), host: (host: string) => hosts.report(host) }
    return { about: 'job', name, sections: await ofAll(parts)(() => diagnoseJob(own, job)) }
  }
  const workers = workersOf(service)
  if (name !== itself && !workers.includes(name)) throw unknownName(name, workers)
  if (name === itself || distant === undefined) return { about: 'worker', name, sections: {} }
  return { about: 'worker', name, sections: { worker: redact(await distant.report(name)) } }
}

const unknownName = (name: string, workers: string[]): Failure =>
  new Failure(
    'job.unknown',
    `there is neither a job nor a worker "${name}"; use "${itself}" for the service itself${workers.length > 0 ? `, or a worker: ${workers.slice(0, 10).join(', ')}` : ''}`,
    { name },
  )

async function ownSections({ parts, settings, recent }: DiagnosedService): Promise<Record<string, unknown>> {
  const { jobs, tasks } = await parts.store.jobs.load()
  return {
    ...(await reportOnProcess(settings, { recent })),
    workers: parts.fleet(),
    health: { ...(await parts.health.report()), readiness: await parts.health.readiness() },
    load: { jobs, tasks },
  }
}
