// Messages between the main thread and a lane's thread.
import type { Settings } from '../../config/settings.ts'
import type { LlmSettings } from '../../extract/llm/client.ts'
import type { OperatorProxies } from '../../fetch/proxies/job-proxies.ts'
import type { Events } from '../../model/events.ts'
import type { FailureJson } from '../../model/failures.ts'
import type { LaneJob, RobotsReport, TaskBatch, TaskReport } from '../../model/lane.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import type { PermitRequest } from '../../ports/permits.ts'

/** Everything that a thread needs to open its dependencies. */
export interface LaneStart {
  name: string
  blobsRoot: string
  /** Where sessions are stored. */
  dataDir: string
  allowPrivate: string[]
  caFile: string | null
  /** Null if the operator configured no language model. */
  llm: LlmSettings | null
  /** The operator's proxies with their passwords. In memory only. */
  proxies: OperatorProxies
  /** The backend for credentials of workspaces; null if only local credentials are used. */
  credentials: CredentialsBackend | null
  /** Of local secrets; null is the usual place. */
  secretsFile: string | null
  /** Files that define scrapers. Functions cannot cross threads, so each thread loads them. */
  scraperFiles: string[]
  /** The browser that plain requests may imitate; null searches the usual places. */
  browserPath: string | null
  /** Only set for the lane that renders pages in a browser. */
  browser: BrowserStart | null
}

/** In memory only, like the credentials themselves. */
export interface CredentialsBackend {
  url: string
  serviceKey: string
  ttlMs: number
}

/** What a lane needs to know to open a browser. */
export interface BrowserStart extends Pick<Settings, 'dataDir' | 'domainPolicies' | 'rate' | 'secretsFile'> {
  /** Null searches the usual places. */
  path: string | null
  poolSize: number | 'auto'
  /** Pages that clients cannot take. */
  seatsForJobs: number | 'auto'
  /** When a browser is replaced. */
  maxPages: number
  maxMemoryBytes: number
}

export type ToLane =
  | { say: 'open-job'; job: LaneJob }
  | { say: 'close-job'; jobId: string }
  | { say: 'cancel-job'; jobId: string }
  | { say: 'run'; batch: TaskBatch }
  | { say: 'fetch-robots'; id: number; jobId: string; origin: string; identity: TaskIdentity | null }
  | { say: 'permit'; id: number; failure: FailureJson | null }
  | { say: 'try-browser'; id: number }
  | { say: 'ping' }
  | { say: 'stop' }

export type FromLane =
  | { say: 'reports'; reports: TaskReport[] }
  | { say: 'robots'; id: number; report: RobotsReport }
  | { say: 'ask-permit'; id: number; request: PermitRequest }
  | { say: 'browser-tried'; id: number; works: boolean }
  | { say: 'event'; name: keyof Events; event: Events[keyof Events] }
  | { say: 'pong' }
  | { say: 'stopped' }
