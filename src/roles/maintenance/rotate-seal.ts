// Rotates the seal key: opens every sealed value with the old key and seals it with the new one. An interrupted run can be
// continued.

import { existsSync, linkSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { oldKeyName, openSealer, sealKeyName } from '../../adapters/fs/sealer.ts'
import type { Settings } from '../../config/settings.ts'
import { entriesById } from '../../lib/list-pages.ts'
import { makeKeyFile } from '../../lib/secrets/key-file.ts'
import { longLabels, readLongLabels } from '../../lib/text/long-labels.ts'
import type { JobSpec } from '../../model/job.ts'
import { requestLabel } from '../../model/own-labels.ts'
import { openHeaders, sealHeaders } from '../../pipeline/submit/sealed-headers.ts'
import type { Sealer } from '../../ports/secrets.ts'
import type { Store } from '../../ports/store.ts'
import type { StoredRequest } from '../../server/api/firecrawl/stored-request.ts'
import { openBlobSessions } from '../cluster/task-services/blob-sessions.ts'
import { clusterSealer } from '../cluster/task-services/shared-keys.ts'
import { ownDataDirectory } from '../data-directory.ts'
import { openSessions, type Sessions } from '../sessions.ts'
import { openPlace } from './retention-at.ts'

interface Resealed {
  jobs: number
  schedules: number
  sessions: number
}

const pageSize = 200

/** Works on a data directory that no process owns, or on a cluster, whose keys come from its settings. */
export async function rotateSeal(settings: Settings): Promise<Resealed> {
  if (settings.databaseUrl !== undefined) return rotateCluster(settings)
  const { dataDir } = settings
  await using data = await ownDataDirectory(dataDir, 'keys rotate-seal')
  exchangeKeys(data.path)
  const done = await resealAll({
    store: data.store,
    sealer: openSealer(data.path),
    sessions: openSessions(data.path),
  })
  rmSync(join(data.path, oldKeyName), { force: true })
  return done
}

/** Stores the old key before the new one replaces it, so that all sealed values can be opened at any moment. */
export function exchangeKeys(path: string): void {
  const [key, old, fresh] = [sealKeyName, oldKeyName, `${sealKeyName}.new`].map(name => join(path, name)) as [
    string,
    string,
    string,
  ]
  if (!existsSync(key)) return
  if (!existsSync(old)) linkSync(key, old)
  // An earlier run was interrupted after the exchange: the new key is already in use.
  else if (!readFileSync(old).equals(readFileSync(key))) return
  rmSync(fresh, { force: true })
  makeKeyFile(fresh)
  renameSync(fresh, key)
}

async function rotateCluster(settings: Settings): Promise<Resealed> {
  await using opened = new AsyncDisposableStack()
  const { store, blobs } = await openPlace(opened, settings)
  const sealer = clusterSealer(settings)
  const sessions = openBlobSessions({ blobs, sealer, underLock: (_name, work) => work() })
  return await resealAll({ store, sealer, sessions })
}

interface SealedPlace {
  store: Store
  sealer: Sealer
  sessions: Sessions
}

async function resealAll({ store, sealer, sessions }: SealedPlace): Promise<Resealed> {
  const done: Resealed = { jobs: 0, schedules: 0, sessions: 0 }
  for await (const job of entriesById(pageSize, page => store.jobs.list(page))) {
    const spec = resealedSpec(sealer, job.id, job.spec)
    if (spec === job.spec) continue
    await store.jobs.revise(job.id, spec)
    done.jobs += 1
  }
  for await (const { id, job } of entriesById(pageSize, page => store.schedules.list(page))) {
    const resealed = resealedHeaders(sealer, id, job)
    if (resealed === job) continue
    await store.schedules.update(id, { job: resealed })
    done.schedules += 1
  }
  for (const { name } of await sessions.list()) {
    await sessions.change(name, state => state)
    done.sessions += 1
  }
  return done
}

/** Returns the same object if nothing in it is sealed. */
function resealedHeaders<Spec extends { headers?: unknown; policy?: unknown }>(
  sealer: Sealer,
  owner: string,
  spec: Spec,
): Spec {
  const opened = openHeaders(sealer, owner, spec)
  return opened === spec ? spec : sealHeaders(sealer, owner, opened)
}

/** Also reseals webhook headers of jobs from the Firecrawl API. */
function resealedSpec(sealer: Sealer, jobId: string, spec: JobSpec): JobSpec {
  const resealed = resealedHeaders(sealer, jobId, spec)
  const kept = readLongLabels<StoredRequest>(spec.labels, requestLabel)
  if (!kept?.webhook?.headers) return resealed
  const headers = sealer.seal(sealer.open(kept.webhook.headers, jobId), jobId)
  const labels = longLabels(requestLabel, { ...kept, webhook: { ...kept.webhook, headers } })
  return { ...resealed, labels: { ...resealed.labels, ...labels } }
}
