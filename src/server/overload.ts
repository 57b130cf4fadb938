// Measures how late the event loop is, and refuses requests while it is too late. Our own instead of @fastify/under-pressure,
// whose monitor wakes an idle process a hundred times a second: a quarter of a percent of a core.
import { Failure } from '../model/failures.ts'
import type { App } from './app.ts'

const lookEveryMs = 500

/** Returns whether requests are refused now. A limit of 0 refuses none. */
export function refuseWhenLate(app: App, mostLagMs: number): () => boolean {
  if (mostLagMs <= 0) return () => false
  let lagMs = 0
  let lastAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    lagMs = now - lastAt - lookEveryMs
    lastAt = now
  }, lookEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  const isLate = () => lagMs > mostLagMs
  app.addHook('onRequest', (request, _reply, done) => {
    // Liveness probes must pass under load, or the orchestrator kills the process.
    if (!isLate() || request.routeOptions.config.answersWhenBusy) return done()
    done(new Failure('server.busy', 'the service is overloaded; retry later'))
  })
  return isLate
}
