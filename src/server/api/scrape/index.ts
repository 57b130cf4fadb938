// The scrape API: one page or up to a hundred, each with a target type, in an envelope.
import type { RouteGroup } from '../../app.ts'
import { Reception } from './accept.ts'
import { actForWorkspace } from './acting-for.ts'
import { addCreating } from './create.ts'
import { renderProblem } from './envelope.ts'
import { QueueRoom } from './queue-room.ts'
import { addReading } from './reading.ts'
import { addSync } from './sync.ts'

export const scrapeApi: RouteGroup = {
  name: 'scrape',
  about: 'Scrapes of pages by target type, one page or batches of up to a hundred.',
  prefix: '/api/v1/scrape',
  renderProblem,
  addRoutes(app, server) {
    const { parts, settings } = server
    app.addHook('preValidation', actForWorkspace)
    const reception = new Reception(server, new QueueRoom(parts.store.jobs, settings.queueDepth))
    addCreating(app, server, reception)
    addSync(app, server, reception)
    addReading(app, server)
  },
}
