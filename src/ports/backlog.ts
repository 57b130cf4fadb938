// Backlog: the number of waiting and running tasks by kind of work. Streams contain only a part of them.

export interface BacklogCounts {
  http: number
  browser: number
  process: number
  ingest: number
}

/** Pending tasks of one job at one host that the dispatcher has not loaded, or whose fetch mode it does not know. */
export interface StoredTasks {
  jobId: string
  host: string
  /** Tasks that become due by the given time. */
  later: number
  /** Tasks that go through a browser: those that are due, and those of `later`. */
  rendered: number
}

export interface Backlog extends AsyncDisposable {
  read(): Promise<BacklogCounts>
  /** Of running jobs; `until` in milliseconds. */
  soon(until: number): Promise<StoredTasks[]>
}
