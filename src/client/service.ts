// The service itself: the caller's key, workers and settings.
export interface ServiceHealth {
  /** `degraded`: the service responds, but cannot fetch pages. */
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
  /** The worker that runs the browser; null if one process does everything. */
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
  /** The state of the browser pool; null if no browser has started yet. */
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
  /** The value of the setting. For a secret, it says only whether the secret is set. */
  value: unknown
  defaultValue: unknown
  isDefault: boolean
}
