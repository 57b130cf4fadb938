// The monitors API: watched pages, their changes, and feeds of the changes.
import type { RouteGroup } from '../../app.ts'
import { Checks } from './checks.ts'
import { addManaging } from './manage.ts'
import { addLooking } from './read.ts'

export const monitorsApi: RouteGroup = {
  name: 'monitors',
  about:
    'Checks pages on a schedule, and reports new, changed and removed pages. Noise such as timestamps is ignored.',
  addRoutes(app, server) {
    addManaging(app, server)
    addLooking(app, server, new Checks(server.parts.store))
  },
}
