// Tidies up where the settings say that jobs are: a data directory, also beside whoever works on it, or a cluster.
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import { tidyUp } from '../../maintain/keep-tidy.ts'
import type { FreedByKind } from '../../model/policy/retention.ts'
import type { TidyWish } from '../../server/parts.ts'
import { asDataDirectory, openBlobs, openStore } from '../cluster/services.ts'
import { type DataDirectory, visitDataDirectory } from '../data-directory.ts'

export async function tidyPlace(settings: Settings, options: TidyWish): Promise<FreedByKind> {
  await using opened = new AsyncDisposableStack()
  const data = await openPlace(opened, settings)
  return await tidyUp(data, settings, { clock: systemClock, emit: () => {} }, options)
}

export async function openPlace(opened: AsyncDisposableStack, settings: Settings): Promise<DataDirectory> {
  if (settings.databaseUrl === undefined) return opened.use(await visitDataDirectory(settings.dataDir))
  const store = opened.use(await openStore(settings))
  const blobs = opened.use(await openBlobs(settings))
  return asDataDirectory(settings, store, blobs)
}
