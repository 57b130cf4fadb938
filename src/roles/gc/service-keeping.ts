// What a service keeps, and how it goes when its operator says so.
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { Keeping } from '../../server/parts.ts'
import type { ServiceEngine } from '../service.ts'
import { tidyUp } from './keep-tidy.ts'

export function serviceKeeping(engine: Pick<ServiceEngine, 'data' | 'within'>, settings: Settings): Keeping {
  const ofAll = engine.within ?? ((_whose, work) => work())
  const around = { clock: systemClock, emit: () => {} }
  return {
    tidy: options => ofAll(null, () => tidyUp(engine.data, settings, around, options)),
  }
}
