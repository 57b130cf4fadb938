// What a service keeps, and how it goes when its operator says so.
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { Keeping } from '../../server/parts.ts'
import { eraseIn } from '../erasure/erase.ts'
import type { ServiceEngine } from '../service.ts'
import { tidyUp } from './keep-tidy.ts'

type Keeper = Pick<ServiceEngine, 'data' | 'within' | 'hosts' | 'sealer' | 'signs'>

export function serviceKeeping(engine: Keeper, settings: Settings): Keeping {
  const { data, hosts, sealer } = engine
  const ofAll = engine.within ?? ((_whose, work) => work())
  const around = { clock: systemClock, emit: () => {} }
  const isCluster = engine.signs !== undefined
  const place = { data, sealer: isCluster ? sealer : null, refresh: () => hosts.refresh() }
  return {
    tidy: options => ofAll(null, () => tidyUp(data, settings, around, options)),
    erase: wish => ofAll(null, () => eraseIn(place, wish)),
  }
}
