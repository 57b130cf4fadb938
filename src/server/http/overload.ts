// Measures the delay of the event loop, and refuses requests while the delay is too long. This replaces @fastify/under-pressure,
// whose monitor wakes an idle process a hundred times a second and so uses 0.25 % of a core.
import { Failure } from '../../model/failures.ts'
import type { App } from '../app.ts'

const lookEveryMs = 500

/** Returns a function that says whether requests are refused now. With a limit of 0, none are refused. */
export function refuseWhenLate(app: App, mostLagMs: number): () => boolean {
  if (mostLagMs <= 0) return () => false
  let lagMs = 0
  let timer: NodeJS.Timeout | undefined
  // Work before the first request, such as the loading of modules, is no overload.
  app.addHook('onListen', async () => {
    let lastAt = performance.now()
    timer = setInterval(() => {
      const now = performance.now()
      lagMs = now - lastAt - lookEveryMs
      lastAt = now
    }, lookEveryMs).unref()
  })
  app.addHook('onClose', async () => clearInterval(timer))
  const isLate = () => lagMs > mostLagMs
  app.addHook('onRequest', (request, _reply, done) => {
    // Liveness probes must pass under load, or the orchestrator kills the process.
    if (!isLate() || request.routeOptions.config.answersWhenBusy) return done()
    done(new Failure('server.busy', 'the service is overloaded; retry later'))
  })
  return isLate
}
