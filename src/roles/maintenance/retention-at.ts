// Deletes expired data in the configured place: in a cluster, or in a data directory, even while another process owns it.
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import { deleteExpired } from '../../maintain/retention-loop.ts'
import type { FreedByKind } from '../../model/policy/retention.ts'
import type { RetentionOptions } from '../../server/parts.ts'
import { asDataDirectory, openBlobs, openStore } from '../cluster/services.ts'
import { type DataDirectory, visitDataDirectory } from '../data-directory.ts'

export async function applyRetentionAt(settings: Settings, options: RetentionOptions): Promise<FreedByKind> {
  await using opened = new AsyncDisposableStack()
  const data = await openPlace(opened, settings)
  return await deleteExpired(data, settings, { clock: systemClock, emit: () => {} }, options)
}

export async function openPlace(opened: AsyncDisposableStack, settings: Settings): Promise<DataDirectory> {
  if (settings.databaseUrl === undefined) return opened.use(await visitDataDirectory(settings.dataDir))
  const store = opened.use(await openStore(settings))
  const blobs = opened.use(await openBlobs(settings))
  return asDataDirectory(settings, store, blobs)
}
