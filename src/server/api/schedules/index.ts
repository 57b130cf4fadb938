// The schedules API: recurring jobs, their runs, and comparisons of two runs.
import type { RouteGroup } from '../../app.ts'
import { addComparing } from './compare.ts'
import { addManaging } from './manage.ts'
import { addRuns } from './runs.ts'

export const schedulesApi: RouteGroup = {
  name: 'schedules',
  about: 'Recurring jobs: cron times in a time zone, one run per tick, comparison with the previous run.',
  addRoutes(app, server) {
    addManaging(app, server)
    addRuns(app, server)
    addComparing(app, server)
  },
}
