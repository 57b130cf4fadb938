// The monitors face: pages that are watched, what changed on them, and feeds of it.
import type { RouteGroup } from '../../app.ts'
import { Checks } from './checks.ts'
import { addLooking } from './looking.ts'
import { addManaging } from './manage.ts'

export const monitorsApi: RouteGroup = {
  name: 'monitors',
  about: 'Pages that are looked at again and again: what is new, changed and removed, without the noise.',
  addRoutes(app, server) {
    addManaging(app, server)
    addLooking(app, server, new Checks(server.parts.store))
  },
}
