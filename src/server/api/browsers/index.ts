// The browsers API: browsers as a service, for clients of Playwright and Puppeteer.
import type { RouteGroup } from '../../app.ts'
import { addBrowserless } from './browserless.ts'
import { BrowserConnections } from './connections.ts'
import { addSeats } from './seats.ts'
import { addSockets } from './sockets.ts'
import { addSteel } from './steel.ts'

export const browsersApi: RouteGroup = {
  name: 'browsers',
  about:
    'Browsers that a client drives: WebSockets at /cdp (connectOverCDP, puppeteer.connect) and /playwright (connect), and the list of open browsers.',
  addRoutes(app, server) {
    const connections = new BrowserConnections(server)
    addSockets(app, server, connections)
    addSeats(app, server, connections)
    addBrowserless(app, server)
    addSteel(app, server, connections)
  },
}
