// Backlog: the number of waiting and running tasks by kind of work. The work streams contain only some of these tasks.

export interface BacklogCounts {
  http: number
  browser: number
  process: number
  ingest: number
}

/** Pending tasks of one job at one host that the dispatcher has not loaded, or whose fetch mode the dispatcher does not
 *  know. */
export interface StoredTasks {
  jobId: string
  host: string
  /** Tasks that become due between now and `until`. */
  later: number
  /** Tasks that need a browser. Counts tasks that are due now and tasks of `later`. */
  rendered: number
}

export interface Backlog extends AsyncDisposable {
  read(): Promise<BacklogCounts>
  /** Stored tasks of running jobs that are due before `until` (epoch ms). */
  soon(until: number): Promise<StoredTasks[]>
}
