// The service itself: who a key is there, who works, and by which settings.
import type { KeyLimits, KeyScope } from '../model/access.ts'

export interface Account {
  keyId: string
  workspace: string
  scopes: KeyScope[]
  limits: KeyLimits
  /** Of the service. */
  version: string
  /** Whether webhooks have a signature. */
  webhooksSigned: boolean
}

export interface ServiceHealth {
  /** `degraded`: it answers, but is not ready to fetch pages. */
  status: 'ok' | 'degraded'
  version: string
  uptimeSeconds: number
}

export interface WorkerShown {
  name: string
  role: string
  concurrency: number
  inFlight: number
  memoryBytes: number | null
  startedAt: string | null
}

export interface BrowserShown {
  /** Whose it is; null where one process does everything. */
  worker: string | null
  pid: number
  driver: string
  phase: 'serving' | 'retiring' | 'gone'
  startedAt: string
  pages: number
  inUse: number
  memoryBytes: number | null
}

export interface WorkersShown {
  version: string
  uptimeSeconds: number
  queueDepth: number
  workers: WorkerShown[]
  /** Null where no browser was asked for so far. */
  browserPool: {
    total: number
    available: number
    inUse: number
    pagesProcessed: number
    recycledCount: number
    browsers: BrowserShown[]
  } | null
  readiness: { ready: boolean; checks: Record<string, string> }
}

export interface SettingShown {
  name: string
  env: string
  about: string
  /** Of a secret, whether there is one and no more. */
  value: unknown
  defaultValue: unknown
  isDefault: boolean
}
