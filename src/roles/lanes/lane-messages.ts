// Messages between the main thread and a lane's thread.
import type { Settings } from '../../config/settings.ts'
import type { LlmSettings } from '../../extract/llm/client.ts'
import type { OperatorProxies } from '../../fetch/proxies/job-proxies.ts'
import type { Events } from '../../model/events.ts'
import type { FailureJson } from '../../model/failures.ts'
import type { JobLimit, LaneJob, RobotsReport, TaskBatch, TaskReport, TimedTask } from '../../model/lane.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import type { PermitRequest } from '../../ports/permits.ts'

/** Everything that a thread needs to open its dependencies. */
export interface LaneStart {
  name: string
  blobsRoot: string
  /** The folder that contains the sessions. */
  dataDir: string
  allowPrivate: string[]
  caFile: string | null
  /** The operator's language model; null if none is configured. */
  llm: LlmSettings | null
  /** The operator's proxies with their passwords. They are never written to disk. */
  proxies: OperatorProxies
  /** The backend that stores credentials of workspaces; null if only local credentials are used. */
  credentials: CredentialsBackend | null
  /** The file with local secrets; null means the default path. */
  secretsFile: string | null
  /** Files that define scrapers. Functions cannot cross threads, so each thread loads them. */
  scraperFiles: string[]
  /** Path of the browser that plain requests imitate; null means the usual paths. */
  browserPath: string | null
  /** Settings of the browser; null in lanes that render no pages. */
  browser: BrowserStart | null
}

/** How to reach the backend that stores credentials. Neither this nor the credentials are written to disk. */
export interface CredentialsBackend {
  url: string
  serviceKey: string
  ttlMs: number
}

/** Settings that a lane needs to open a browser. */
export interface BrowserStart extends Pick<Settings, 'dataDir' | 'domainPolicies' | 'rate' | 'secretsFile'> {
  /** Path of the browser; null means the usual paths. */
  path: string | null
  poolSize: number | 'auto'
  /** Seats that are reserved for jobs: browser clients cannot use them. */
  seatsForJobs: number | 'auto'
  /** A browser is replaced after this many pages, or above this memory. */
  maxPages: number
  maxMemoryBytes: number
}

export type ToLane =
  | { say: 'open-job'; job: LaneJob }
  | { say: 'close-job'; jobId: string }
  | { say: 'cancel-job'; jobId: string }
  | { say: 'limit-jobs'; id: number; limits: JobLimit[]; part: number }
  | { say: 'run'; batch: TaskBatch }
  | { say: 'fetch-robots'; id: number; jobId: string; origin: string; identity: TaskIdentity | null }
  | { say: 'permit'; id: number; failure: FailureJson | null }
  | { say: 'try-browser'; id: number }
  | { say: 'ping' }
  | { say: 'stop' }

/** `cpuMs` is the CPU time of the thread so far. */
export type FromLane =
  | { say: 'reports'; reports: TaskReport[]; cpuMs: number }
  | { say: 'robots'; id: number; report: RobotsReport }
  | { say: 'ask-permit'; id: number; request: PermitRequest }
  | { say: 'browser-tried'; id: number; works: boolean }
  | { say: 'limited'; id: number; returned: TimedTask[] }
  | { say: 'event'; name: keyof Events; event: Events[keyof Events] }
  | { say: 'pong'; cpuMs: number }
  | { say: 'stopped' }
