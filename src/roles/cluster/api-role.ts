// api: serves the HTTP API. It accepts jobs and reads results; other roles do the work.
import { Emitter } from '../../lib/emitter.ts'
import { settledWithin } from '../../lib/settled-within.ts'
import { openService } from '../service/service.ts'
import { openClusterEngine } from './cluster-engine.ts'
import { handBackMs, type RoleParts, type Running } from './role.ts'
import { processName } from './services.ts'

export async function api(parts: RoleParts): Promise<Running> {
  const { log, settings, root, configFile, metrics } = parts
  const service = await openService(
    { settings, root, configFile },
    // The leading coordinator runs the service loops (webhooks, schedules), not this process.
    {
      ...{ log, metrics },
      command: 'start api',
      serviceLoops: [],
      engine: stop => openClusterEngine({ ...parts, events: new Emitter() }, stop),
    },
  )
  return {
    name: processName('api'),
    held: () => 0,
    url: service.url,
    firstKey: service.firstKey,
    async stop(graceMs) {
      service.stop()
      await settledWithin(service[Symbol.asyncDispose](), graceMs + handBackMs)
    },
  }
}
