// The monitors API: watched pages, their changes, and feeds of the changes.
import type { RouteGroup } from '../../app.ts'
import { Checks } from './checks.ts'
import { addManaging } from './manage.ts'
import { addLooking } from './read.ts'

export const monitorsApi: RouteGroup = {
  name: 'monitors',
  about: 'Pages that are checked on a schedule: new, changed and removed pages, without noise.',
  addRoutes(app, server) {
    addManaging(app, server)
    addLooking(app, server, new Checks(server.parts.store))
  },
}
