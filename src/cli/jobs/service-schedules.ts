// The schedules of a service, in the form of local schedules.

import type { Client, NewScheduleInput } from '../../client.ts'
import { defined } from '../../lib/defined.ts'
import type { ScheduleDirectory } from '../../roles/local/schedules.ts'
import { firstOf } from './service-jobs.ts'

export const serviceSchedules = ({ schedules }: Client): ScheduleDirectory => ({
  list: () => Array.fromAsync(schedules.list()),
  get: scheduleId => schedules.get(scheduleId),
  create: body => schedules.create(body as NewScheduleInput),
  setPaused: (scheduleId, paused) => (paused ? schedules.pause(scheduleId) : schedules.resume(scheduleId)),
  delete: scheduleId => schedules.delete(scheduleId),
  run: (scheduleId, options) => schedules.run(scheduleId, options),

  async compare(scheduleId, { from, to, difference, limit }) {
    const runs = defined({ from, to })
    const pageSize = Math.min(limit, 1_000)
    const whole = await schedules.compare(scheduleId, { ...runs, difference, limit: pageSize })
    for (let cursor = whole.nextCursor; cursor !== null && whole.items.length < limit; ) {
      const page = await schedules.compare(scheduleId, { ...runs, difference, limit: pageSize, cursor })
      whole.items.push(...page.items)
      cursor = page.nextCursor
    }
    return { ...whole, items: whole.items.slice(0, limit) }
  },

  runs: (scheduleId, limit) =>
    firstOf(schedules.runs(scheduleId, { pageSize: Math.min(limit, 1_000) }), limit),
})
