// The group commit: all changes of a group of outcomes in one transaction.

import type { HostState } from '../../model/host.ts'
import type { NewAnswer } from '../../model/page/answer.ts'
import type { NewRecord } from '../../model/record.ts'
import type { Attempt, Key, Reason, TaskState } from '../../model/task.ts'
import type { CommitGroup, CommitResult, Discovery, Settlement } from '../../ports/store.ts'
import { keptDiscoveries } from '../valid-discoveries.ts'
import type { AddTasks } from './add-tasks.ts'
import { kindCodes, kindOf, type Space, spaces, stateCodes, stateOf, wayCodes } from './codes.ts'
import { type JobChanges, writeJobs } from './job-changes.ts'
import { jobLookup } from './job-numbers.ts'
import type { Parts } from './parts.ts'

interface LeaseRow {
  attempt: number
  owner: number
  state: number
  kind: number
}

/** The outcome of a settlement, after the comparison of page identities. */
interface Ending {
  state: TaskState
  reason: Reason
  duplicateOf: number | null
}

export function groupCommit(parts: Parts, addTasks: AddTasks): (group: CommitGroup) => Promise<CommitResult> {
  const { connection, names } = parts
  const settle = settler(parts)
  const discover = discoverer(addTasks)
  const saveHost = hostSaver(parts)
  return async group =>
    writeJobs(connection, changes => {
      const result: CommitResult = { lost: [], duplicates: [], added: [] }
      const numberOf = jobLookup(connection)
      const owner = names.idOf(group.owner)
      const kept = group.settlements.filter(settlement =>
        settle(numberOf(settlement.jobId), owner, settlement, result, changes),
      )
      result.added = discover(keptDiscoveries(group, kept), numberOf, changes)
      for (const host of group.hosts) saveHost(host)
      return result
    })
}

/** Adds discovered tasks. Returns the number of new tasks per job and host. */
function discoverer(addTasks: AddTasks) {
  type NumberOf = (jobId: string) => number | null
  return (discovered: Discovery[], numberOf: NumberOf, changes: JobChanges): CommitResult['added'] => {
    const added = new Map<string, Map<string, number>>()
    for (const { jobId, tasks, refused } of discovered) {
      const jobNo = numberOf(jobId)
      if (jobNo === null) continue
      const hosts = added.get(jobId) ?? new Map<string, number>()
      added.set(jobId, hosts)
      for (const [host, count] of addTasks(jobNo, tasks, changes).hosts)
        hosts.set(host, (hosts.get(host) ?? 0) + count)
      for (const [reason, count] of Object.entries(refused))
        changes.count(jobNo, `refused:${reason as Reason}`, count)
    }
    return [...added].flatMap(([jobId, hosts]) => [...hosts].map(([host, count]) => ({ jobId, host, count })))
  }
}

function settler(parts: Parts) {
  const { connection, names } = parts
  const findLease = connection.prepare(
    'SELECT attempt, owner, state, kind FROM leases WHERE job_no = ? AND n = ?',
  )
  const dropLease = connection.prepare('DELETE FROM leases WHERE job_no = ? AND n = ?')
  const moveTask = connection.prepare(
    `UPDATE tasks SET state = ?, reason = ?, message = ?, not_before = ?, charged = charged + ?, duplicate_of = ?,
       priority = priority + ?
     WHERE job_no = ? AND n = ? RETURNING host`,
  )
  const sendBy = connection.prepare('UPDATE tasks SET way = ?, way_why = ? WHERE job_no = ? AND n = ?')
  const judge = identityJudge(parts)
  const keepAttempt = attemptKeeper(parts)
  const keepRecords = recordKeeper(parts)
  const keepAnswer = answerKeeper(parts)

  /** Returns whether the lease was still valid. */
  return (
    jobNo: number | null,
    owner: number,
    settlement: Settlement,
    result: CommitResult,
    changes: JobChanges,
  ): boolean => {
    const { jobId, n, attempt, charged, history } = settlement
    const lease = jobNo === null ? undefined : (findLease.get(jobNo, n) as LeaseRow | undefined)
    if (jobNo === null || lease?.attempt !== attempt || lease.owner !== owner) {
      result.lost.push({ jobId, n })
      return false
    }
    dropLease.run(jobNo, n)
    const { state, reason, duplicateOf } = judge(jobNo, settlement, lease.kind)
    const notBefore = state === 'pending' ? settlement.notBefore : 0
    const { message } = settlement
    const reasonNo = names.idOf(reason)
    const ending = [stateCodes[state], reasonNo, message, notBefore, Number(charged), duplicateOf] as const
    const moved = moveTask.get(...ending, settlement.demotedBy ?? 0, jobNo, n)
    if (settlement.next) sendBy.run(wayCodes[settlement.next.way], settlement.next.why, jobNo, n)
    keepAttempt(jobNo, n, attempt, history)
    if (duplicateOf !== null) result.duplicates.push({ jobId, n, of: duplicateOf, reason })
    const records = duplicateOf === null ? keepRecords(jobNo, n, settlement.records) : 0
    changes.count(jobNo, 'records', records)

    const ended = { from: stateOf(lease.state), to: state, reason, kind: kindOf(lease.kind) }
    changes.countEnding(jobNo, ended, settlement)
    const hostNo = moved!.host as number
    const isPage = state === 'succeeded' && lease.kind === kindCodes.page
    const host = { no: hostNo, name: names.textOf(hostNo) }
    changes.tried(jobNo, host, history, { pages: Number(isPage), records })
    if (state === 'succeeded' && settlement.answer) keepAnswer(jobNo, n, settlement.answer)
    return true
  }
}

type Judged = Pick<Settlement, 'n' | 'state' | 'reason' | 'identity'>

/** Stores the identities of a succeeded page. If another task owns one of them, the page is a duplicate of that task. */
export function identityJudge({ connection }: Parts) {
  const enter = connection.prepare(
    'INSERT INTO seen (job_no, space, key, n) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const holder = connection.prepare('SELECT n FROM seen WHERE job_no = ? AND space = ? AND key = ?')
  const leave = connection.prepare('DELETE FROM seen WHERE job_no = ? AND space = ? AND key = ?')

  /** The other task that owns this identity; null if this task owns it now. */
  function otherHolder(jobNo: number, space: Space, key: Key, n: number): number | null {
    if (enter.run(jobNo, space, key, n).changes === 1) return null
    const held = holder.get(jobNo, space, key)!.n as number
    return held === n ? null : held
  }

  return (jobNo: number, settlement: Judged, kind: number): Ending => {
    const { state, reason, n } = settlement
    const { canonical, content } = settlement.identity
    const asIs: Ending = { state, reason, duplicateOf: null }
    if (state !== 'succeeded' || kind !== kindCodes.page) return asIs

    const canonicalOf = canonical === null ? null : otherHolder(jobNo, spaces.canonical, canonical, n)
    if (canonicalOf !== null)
      return { state: 'skipped', reason: 'duplicate.canonical', duplicateOf: canonicalOf }
    const contentOf = content === null ? null : otherHolder(jobNo, spaces.content, content, n)
    if (contentOf === null) return asIs
    // A duplicate must not own its canonical URL. Otherwise any next page with this URL would be a duplicate too.
    if (canonical !== null) leave.run(jobNo, spaces.canonical, canonical)
    return { state: 'skipped', reason: 'duplicate.content', duplicateOf: contentOf }
  }
}

type KeepAttempt = (jobNo: number, n: number, attempt: number, history: Attempt) => void

export function attemptKeeper({ connection, names }: Parts): KeepAttempt {
  const insert = connection.prepare(
    `INSERT INTO attempts (job_no, n, attempt, started_at, ended_at, outcome, status, bytes, worker, proxy,
       raw_key, raw_offset, raw_length, message, way, artifacts, read_ms, store_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (jobNo, n, attempt, history) => {
    const { startedAt, endedAt, outcome, status, bytes, worker, proxy, raw, message, way, artifacts } =
      history
    insert.run(
      jobNo,
      n,
      attempt,
      startedAt,
      endedAt,
      names.idOf(outcome),
      status,
      bytes,
      names.idOf(worker),
      proxy === null ? null : names.idOf(proxy),
      raw === null ? null : names.idOf(raw.key),
      raw?.offset ?? null,
      raw?.length ?? null,
      message,
      wayCodes[way],
      artifacts.length > 0 ? JSON.stringify(artifacts) : null,
      history.readMs,
      history.storeMs,
    )
  }
}

/** Stores new records. A repeated task never stores a record twice. Returns the number of new records. */
export function recordKeeper({ connection, names }: Parts) {
  const insert = connection.prepare(
    `INSERT INTO records (job_no, n, idx, status, fetched_at, scraper, final_url, data, provenance, way)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  return (jobNo: number, n: number, records: readonly NewRecord[]): number => {
    let kept = 0
    for (const { index, status, fetchedAt, scraper, finalUrl, data, provenance, way } of records) {
      const scraperNo = names.idOf(scraper)
      const { changes } = insert.run(
        jobNo,
        n,
        index,
        status,
        fetchedAt,
        scraperNo,
        finalUrl,
        data,
        provenance,
        way,
      )
      kept += Number(changes)
    }
    return kept
  }
}

function hostSaver({ connection }: Parts): (state: HostState) => void {
  const upsert = connection.prepare(
    'INSERT INTO host_states (host, state) VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state',
  )
  return state => void upsert.run(state.host, JSON.stringify(state))
}

/** Stores the response of a request. A later response replaces an earlier one. */
function answerKeeper({ connection }: Parts): (jobNo: number, n: number, answer: NewAnswer) => void {
  const put = connection.prepare(
    `INSERT OR REPLACE INTO answers (key, job_no, n, checked_at, etag, last_modified, body_key)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  return (jobNo, n, { key, checkedAt, etag, lastModified, bodyKey }) =>
    void put.run(key, jobNo, n, checkedAt, etag, lastModified, bodyKey)
}
