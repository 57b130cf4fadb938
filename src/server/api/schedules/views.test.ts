// Tests the JSON form of schedules, and which keys see their headers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Caller, idIn } from '../../../model/access.ts'
import type { Schedule } from '../../../model/schedule.ts'
import { ownedSchedule, shownSchedule } from './views.ts'

const schedule = {
  ...{
    id: idIn('team', 'nightly'),
    workspace: 'team',
    name: 'n',
    cron: '30 2 * * *',
    timeZone: 'UTC',
    overlap: 'skip',
  },
  ...{ jitterMs: 1_500, paused: false, createdAt: 0, nextAt: 1_000, keyId: null },
  job: { urls: ['https://a.example/'], headers: { accept: 'text/html' } },
} as unknown as Schedule
const caller = (workspace: string, ...scopes: string[]) =>
  ({ workspace, scopes, workspaces: [] }) as unknown as Caller

test('a schedule is visible only in its workspace', async () => {
  const parts = {
    store: { schedules: { get: async (id: string) => (id === schedule.id ? schedule : null) } },
  }
  assert.equal(await ownedSchedule({ parts } as never, caller('team'), 'nightly'), schedule)
  for (const [workspace, id] of [
    ['other', 'nightly'],
    ['team', 'none'],
    ['default', schedule.id],
  ] as const)
    await assert.rejects(ownedSchedule({ parts } as never, caller(workspace), id), {
      code: 'schedule.unknown',
    })
})

test('headers of a schedule are shown only to keys that could have set them', () => {
  assert.match(JSON.stringify(shownSchedule(schedule, caller('team', 'submit'), '').job), /text\/html/)
  assert.doesNotMatch(JSON.stringify(shownSchedule(schedule, caller('team', 'read'), '').job), /text\/html/)
})

test('a paused schedule has no next run, and ids are shown as the caller chose them', () => {
  const shown = shownSchedule(schedule, caller('team', 'read'), 'http://k')
  assert.deepEqual(
    [shown.scheduleId, shown.jitterS, shown.nextAt],
    ['nightly', 1.5, '1970-01-01T00:00:01.000Z'],
  )
  assert.equal(shown.links.self, 'http://k/schedules/nightly')
  assert.equal(shownSchedule({ ...schedule, paused: true }, caller('team', 'read'), '').nextAt, null)
})
