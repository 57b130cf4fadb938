// The schedules face: jobs that are run again and again, their runs, and what changed between two of them.
import type { RouteGroup } from '../../app.ts'
import { addComparing } from './compare.ts'
import { addManaging } from './manage.ts'
import { addRuns } from './runs.ts'

export const schedulesApi: RouteGroup = {
  name: 'schedules',
  about:
    'Jobs that are run again and again: by cron in a time zone, once per tick, compared with the run before.',
  addRoutes(app, server) {
    addManaging(app, server)
    addRuns(app, server)
    addComparing(app, server)
  },
}
