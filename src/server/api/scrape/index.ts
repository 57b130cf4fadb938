// The scrape API: scrapes one page or up to a hundred pages, each with a target type. Responses have a common envelope.
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
  about: 'Scrapes one page, or a batch of up to a hundred pages. Each page has a target type.',
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
