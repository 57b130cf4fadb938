// Backlog: what waits or runs, by the kind of work. What is scaled by, since streams only show a part of it.

export interface BacklogFigures {
  http: number
  browser: number
  process: number
  ingest: number
}

export interface Backlog extends AsyncDisposable {
  read(): Promise<BacklogFigures>
}
