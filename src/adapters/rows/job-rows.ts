// A job's row, as stores on any backend have it.
import type { Face, IngestProgress, Job, JobKind, JobSpec, JobState } from '../../model/job.ts'

export interface JobRow {
  id: string
  kind: JobKind
  spec: string
  state: JobState
  reason: string | null
  resume_at: number | null
  ingest: string
  created_at: number
  started_at: number | null
  finished_at: number | null
  workspace: string
  face: Face
  key_id: string | null
  schedule_id: string | null
  traceparent: string | null
}

export function jobOf(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    spec: JSON.parse(row.spec) as JobSpec,
    state: row.state,
    reason: row.reason,
    resumeAt: row.resume_at,
    ingest: JSON.parse(row.ingest) as IngestProgress,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    workspace: row.workspace,
    face: row.face,
    keyId: row.key_id,
    scheduleId: row.schedule_id,
    traceparent: row.traceparent,
  }
}
