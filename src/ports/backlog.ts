// Backlog: what waits or runs, by the kind of work. Streams show only a part of it.

export interface BacklogFigures {
  http: number
  browser: number
  process: number
  ingest: number
}

/** Pending tasks of one job at one host that the dispatcher does not know, or not by the way they go. */
export interface StoredTasks {
  jobId: string
  host: string
  /** Tasks that become due by the given time. */
  later: number
  /** Tasks that go through a browser: those that are due, and those of `later`. */
  rendered: number
}

export interface Backlog extends AsyncDisposable {
  read(): Promise<BacklogFigures>
  /** Of running jobs; `until` in milliseconds. */
  soon(until: number): Promise<StoredTasks[]>
}
