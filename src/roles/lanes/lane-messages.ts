// Messages between the main thread and a lane's thread.
import type { Settings } from '../../config/settings.ts'
import type { LlmSettings } from '../../extract/llm/client.ts'
import type { OperatorProxies } from '../../fetch/proxies/job-proxies.ts'
import type { Events } from '../../model/events.ts'
import type { FailureJson } from '../../model/failures.ts'
import type { LaneJob, RobotsReport, TaskBatch, TaskReport } from '../../model/lane.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import type { PermitRequest } from '../../ports/permits.ts'

/** Everything a thread needs to open its own parts. */
export interface LaneStart {
  name: string
  blobsRoot: string
  /** Where sessions are kept. */
  dataDir: string
  allowPrivate: string[]
  caFile: string | null
  /** Null where the operator set up no language model. */
  llm: LlmSettings | null
  /** What the operator has of proxies, with their passwords: in memory alone, like the rest. */
  proxies: OperatorProxies
  /** Where credentials of workspaces are asked for; null where only local ones hold. */
  credentials: CredentialsBackend | null
  /** Of local secrets; null is the usual place. */
  secretsFile: string | null
  /** Files that define scrapers; functions can't cross threads, so each loads them. */
  scraperFiles: string[]
  /** Where the browser is that plain requests may speak for; null looks in the usual places. */
  browserPath: string | null
  /** Only for the lane whose pages come through a browser. */
  browser: BrowserStart | null
}

/** Held in memory alone, like everything that is asked with it. */
export interface CredentialsBackend {
  url: string
  serviceKey: string
  ttlMs: number
}

/** What a lane needs to know to open a browser. */
export interface BrowserStart extends Pick<Settings, 'dataDir' | 'domainPolicies' | 'rate' | 'secretsFile'> {
  /** Null looks for one in the usual places. */
  path: string | null
  poolSize: number | 'auto'
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
