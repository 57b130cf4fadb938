// The jobs API: full access to the engine.
import type { RouteGroup } from '../../app.ts'
import { addAllEvents } from './all-events.ts'
import { addConduct } from './conduct.ts'
import { addSteering } from './control.ts'
import { addCreating } from './create.ts'
import { addEvents } from './events.ts'
import { addExchange } from './exchange.ts'
import { addExport } from './export.ts'
import { addFailureMetrics } from './failure-metrics.ts'
import { addItems } from './items.ts'
import { addListing } from './list.ts'
import { JobLister } from './listed.ts'
import { addPolicy } from './policy.ts'
import { RecentRates } from './rates.ts'
import { addRawExport } from './raw-export.ts'
import { addResults } from './results.ts'
import { addStatus } from './status.ts'
import { addTimeline } from './timeline.ts'

export const jobsApi: RouteGroup = {
  name: 'jobs',
  about: 'Jobs (crawls, lists of pages, rows for scrapers), with their state, records, pages and files.',
  addRoutes(app, server) {
    const rates = new RecentRates(server.parts)
    addCreating(app, server)
    const lister = new JobLister(server, rates)
    addListing(app, server, lister)
    addAllEvents(app, server, lister)
    addStatus(app, server, rates)
    addFailureMetrics(app, server)
    addSteering(app, server)
    addPolicy(app, server)
    addConduct(app, server)
    addResults(app, server)
    addExport(app, server)
    addRawExport(app, server)
    addItems(app, server)
    addExchange(app, server)
    addTimeline(app, server)
    addEvents(app, server)
  },
}
