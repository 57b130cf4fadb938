// Retention and erasure of a service, requested by its operator.
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import { deleteExpired } from '../../maintain/retention-loop.ts'
import type { Emit } from '../../model/events.ts'
import type { Sealer } from '../../ports/secrets.ts'
import type { HostDirectory, RetentionService, Within } from '../../server/parts.ts'
import type { DataDirectory } from '../data-directory.ts'
import { eraseIn } from './erase.ts'

/** The parts of the engine that retention uses. */
interface Keeper {
  data: DataDirectory
  /** Emits events about deleted jobs, so that caches drop these jobs. */
  emit: Emit
  hosts: Pick<HostDirectory, 'refresh'>
  sealer: Sealer
  /** Heartbeats of workers; set if workers are separate processes. */
  signs?: readonly unknown[]
  within?: Within
}

export function serviceRetention(engine: Keeper, settings: Settings): RetentionService {
  const { data, emit, hosts, sealer } = engine
  const ofAll: Within = engine.within ?? ((_whose, work) => work())
  const around = { clock: systemClock, emit }
  const isCluster = engine.signs !== undefined
  const place = { data, sealer: isCluster ? sealer : null, refresh: () => hosts.refresh() }
  return {
    deleteExpired: options => ofAll(null, () => deleteExpired(data, settings, around, options)),
    erase: options => ofAll(null, () => eraseIn(place, options)),
  }
}
