// Tests schedules with a fake clock: one run per tick, missed ticks, overlapping runs, and jitter.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newJob, newTasks } from '../../../test/contracts/store/fixtures.ts'
import { openTemporaryStore } from '../../../test/support/temporary-store.ts'
import { FakeClock } from '../../lib/clocks.ts'
import { Failure } from '../../model/failures.ts'
import type { Job } from '../../model/job.ts'
import { type Schedule, type ScheduleBody, scheduleBody } from '../../model/schedule.ts'
import type { Store } from '../../ports/store.ts'
import { changedSchedule, newSchedule, nextOf, nextRuns } from './plan-schedule.ts'
import { leaveRun, runDueSchedules, runLatestTick, runNow, type ScheduleParts } from './run-schedules.ts'

const minuteMs = 60_000
const start = Date.UTC(2026, 0, 1, 12, 0, 30)

class Place implements AsyncDisposable {
  readonly clock = new FakeClock(start)
  readonly cancelled: string[] = []
  readonly troubles: unknown[] = []
  failing: Error | null = null
  #jobs = 0
  #store!: Awaited<ReturnType<typeof openTemporaryStore>>

  static async open(body: Partial<ScheduleBody> = {}): Promise<Place> {
    const place = new Place()
    place.#store = await openTemporaryStore(place.clock)
    await place.another('s', body)
    return place
  }

  /** Creates a schedule. */
  async another(scheduleId: string, body: Partial<ScheduleBody> = {}): Promise<{ schedule: Schedule }> {
    const given = { scheduleId, name: 'often', cron: '* * * * *', timeZone: 'UTC', job: {}, ...body }
    const origin = { workspace: 'default', keyId: null }
    const timing = { now: start, random: () => 0 }
    await this.store.schedules.create(newSchedule(scheduleBody.parse(given), origin, timing))
    return { schedule: (await this.store.schedules.get(scheduleId))! }
  }

  get store(): Store {
    return this.#store.store
  }

  /** The dependencies of a second process that uses the same store. */
  parts(): ScheduleParts {
    const { store, clock } = this
    return {
      ...{ store, clock, random: () => 0 },
      start: async (schedule, tick) => {
        if (this.failing) throw this.failing
        this.#jobs += 1
        const origin = { scheduleId: schedule.id }
        const id = `run-${this.#jobs}`
        await store.jobs.create(newJob(id, { origin, tick, createdAt: clock.now() }), newTasks(1))
        return (await store.jobs.get(id)) as Job
      },
      cancel: async jobId => {
        this.cancelled.push(jobId)
        await store.jobs.move(jobId, ['pending', 'running'], 'cancelled')
      },
      trouble: (_scheduleId, error) => void this.troubles.push(error),
    }
  }

  async look(ms: number): Promise<void> {
    this.clock.advance(ms)
    await runDueSchedules(this.parts())
  }

  end(jobId: string): Promise<boolean> {
    return this.store.jobs.move(jobId, ['pending'], 'failed')
  }

  async runs(): Promise<string[]> {
    const runs = await this.store.schedules.runs('s')
    return runs.map(({ tick, outcome, jobId, catchUp }) =>
      [new Date(tick).toISOString().slice(11, 19), outcome, jobId, ...(catchUp ? ['catch-up'] : [])].join(
        ' ',
      ),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]()
  }
}

test('every tick has one run, however often and by however many processes the schedule is checked', async () => {
  await using place = await Place.open({ overlap: 'allow' })
  await place.look(0)
  assert.deepEqual(await place.runs(), [])
  place.clock.advance(minuteMs)
  await Promise.all([runDueSchedules(place.parts()), runDueSchedules(place.parts())])
  await place.look(1_000)
  await place.look(minuteMs)

  assert.deepEqual(
    (await place.runs()).map(run => run.slice(0, 16)),
    ['12:02:00 started', '12:01:00 started'],
  )
})

test('after an hour of downtime, all missed ticks share one run, and later ticks run as usual', async () => {
  await using place = await Place.open({ overlap: 'allow' })
  await place.look(60 * minuteMs)
  await place.look(1_000)
  await place.look(minuteMs)

  assert.deepEqual(await place.runs(), ['13:01:00 started run-2', '12:01:00 started run-1 catch-up'])
})

test('if the clock is set back, no tick runs twice', async () => {
  await using place = await Place.open({ overlap: 'allow' })
  await place.look(minuteMs)
  await place.look(minuteMs)
  place.clock.advance(-2 * minuteMs)
  await place.store.schedules.update('s', { nextTick: start + 30_000, nextAt: start + 30_000 })
  await place.look(30_000)
  await place.look(30_000)
  await place.look(minuteMs)
  await place.look(minuteMs)

  const ticks = (await place.runs()).map(run => run.slice(0, 16))
  assert.deepEqual(ticks, ['12:03:00 started', '12:02:00 started', '12:01:00 started'])
})

test('with overlap skip, a tick whose previous run is still running is skipped, and the skip is stored', async () => {
  await using place = await Place.open({ overlap: 'skip' })
  await place.look(minuteMs)
  await place.look(minuteMs)
  await place.end('run-1')
  await place.look(minuteMs)

  assert.deepEqual(await place.runs(), [
    '12:03:00 started run-2',
    '12:02:00 skipped ',
    '12:01:00 started run-1',
  ])
  assert.match((await place.store.schedules.runs('s'))[1]?.reason ?? '', /job run-1 .* is pending/)
})

test('with overlap queue, one tick waits for the previous run, and later ticks are skipped', async () => {
  await using place = await Place.open({ overlap: 'queue' })
  for (const ms of [minuteMs, minuteMs, minuteMs]) await place.look(ms)
  assert.deepEqual(await place.runs(), ['12:03:00 skipped ', '12:02:00 queued ', '12:01:00 started run-1'])
  await place.end('run-1')
  await place.look(1_000)

  assert.deepEqual(await place.runs(), [
    '12:03:00 skipped ',
    '12:02:00 started run-2',
    '12:01:00 started run-1',
  ])
})

test('with overlap cancel_previous, the previous run is cancelled first', async () => {
  await using place = await Place.open({ overlap: 'cancel_previous' })
  await place.look(minuteMs)
  await place.look(minuteMs)

  assert.deepEqual(place.cancelled, ['run-1'])
  assert.deepEqual(await place.runs(), ['12:02:00 started run-2', '12:01:00 started run-1'])
})

test('a run that cannot start is stored with the reason; if the store is down, the start is tried again', async () => {
  await using place = await Place.open()
  place.failing = new Failure('storage.full', 'the disk is full')
  await place.look(minuteMs)
  assert.deepEqual([await place.runs(), place.troubles.length], [[], 1])
  place.failing = new Failure('queue.full', 'too many')
  await place.look(1_000)
  place.failing = null
  await place.look(minuteMs)

  assert.deepEqual(await place.runs(), ['12:02:00 started run-1', '12:01:00 failed '])
  assert.equal((await place.store.schedules.runs('s'))[1]?.reason, 'queue.full: too many')
})

test('a resumed schedule does not run the ticks that it missed', async () => {
  await using place = await Place.open()
  const schedule = async () => (await place.store.schedules.get('s'))!
  await place.store.schedules.update('s', { paused: true })
  await place.look(10 * minuteMs)
  assert.deepEqual(await place.runs(), [])
  const timing = { now: place.clock.now(), random: () => 0 }
  await place.store.schedules.update('s', changedSchedule(await schedule(), { paused: false }, timing))
  await place.look(0)
  assert.deepEqual(await place.runs(), [])
  await place.look(minuteMs)

  assert.deepEqual(await place.runs(), ['12:11:00 started run-1'])
})

test('a manual run can start at any time, even while the schedule is paused, and the rule for overlapping runs applies', async () => {
  await using place = await Place.open({ paused: true })
  const schedule = (await place.store.schedules.get('s'))!
  const run = await runNow(place.parts(), schedule)
  assert.equal(run.jobId, 'run-1')
  assert.deepEqual(await place.store.schedules.get('s'), schedule)
  place.clock.advance(1_000)
  await assert.rejects(runNow(place.parts(), schedule), { code: 'schedule.busy', message: /job run-1/ })
  const queued = await runNow(place.parts(), { ...schedule, overlap: 'queue' })
  assert.equal(queued.outcome, 'queued')
})

test('the serving process starts a run that another process requested', async () => {
  await using place = await Place.open({ paused: true })
  await leaveRun(place, (await place.store.schedules.get('s'))!)
  await place.look(1_000)

  assert.deepEqual(await place.runs(), ['12:00:30 started run-1'])
})

test('at most one run waits: while it waits, all later ticks are skipped', async () => {
  await using place = await Place.open({ overlap: 'queue' })
  for (let minute = 0; minute < 5; minute++) await place.look(minuteMs)

  assert.deepEqual(await place.runs(), [
    ...['12:05:00 skipped ', '12:04:00 skipped ', '12:03:00 skipped '],
    ...['12:02:00 queued ', '12:01:00 started run-1'],
  ])
})

test('if a run already waits, a manual run starts no further run and returns the waiting one', async () => {
  await using place = await Place.open({ overlap: 'queue' })
  await place.look(minuteMs)
  const requested = async () => {
    place.clock.advance(1_000)
    return runNow(place.parts(), (await place.store.schedules.get('s'))!)
  }
  const first = await requested()
  assert.equal(first.outcome, 'queued')
  assert.deepEqual(await requested(), first)
})

test('waiting runs of one schedule do not delay the waiting run of another', async () => {
  await using place = await Place.open({ overlap: 'queue' })
  await place.look(minuteMs)
  const run = {
    scheduleId: 's',
    at: 0,
    outcome: 'queued',
    jobId: null,
    reason: null,
    catchUp: false,
  } as const
  for (let tick = 1; tick <= 150; tick++) await place.store.schedules.enterRun({ ...run, tick })
  const { schedule } = await place.another('later')
  await leaveRun(place, schedule)
  await place.look(1_000)

  assert.equal((await place.store.schedules.runs('later'))[0]?.outcome, 'started')
})

const ways = {
  'by a service': runLatestTick,
  'in a data directory that a service uses': async (parts: ScheduleParts, schedule: Schedule) => {
    const { tick } = await leaveRun(parts, schedule, { ofLatestTick: true })
    await runDueSchedules(parts)
    return (await parts.store.schedules.runs(schedule.id)).find(run => run.tick === tick)!
  },
}
const afterwards = {
  skip: ['12:02:00 skipped '],
  queue: ['12:02:00 queued '],
  cancel_previous: ['12:02:00 started run-2', 'cancelled run-1'],
  allow: ['12:02:00 started run-2'],
}
for (const [way, request] of Object.entries(ways))
  for (const overlap of Object.keys(afterwards) as Array<keyof typeof afterwards>)
    test(`a requested run of the last tick respects overlap ${overlap}, if it is requested ${way}`, async () => {
      await using place = await Place.open({ overlap, jitterS: 50 })
      await place.look(minuteMs)
      place.clock.advance(minuteMs)
      const schedule = (await place.store.schedules.get('s'))!
      const run = await request(place.parts(), schedule)
      assert.deepEqual(await request(place.parts(), schedule), run)
      await place.look(1_000)

      const cancelled = place.cancelled.map(jobId => `cancelled ${jobId}`)
      assert.deepEqual([(await place.runs())[0], ...cancelled], afterwards[overlap])
      assert.equal((await place.runs()).length, 2)
    })

test('while no service runs, several requested ticks leave one queued run for the next service', async () => {
  await using place = await Place.open({ overlap: 'skip' })
  for (const _ of [1, 2, 3]) {
    place.clock.advance(minuteMs)
    await leaveRun(place, (await place.store.schedules.get('s'))!, { ofLatestTick: true })
  }
  assert.deepEqual(await place.runs(), ['12:03:00 skipped ', '12:02:00 skipped ', '12:01:00 queued '])
})

test('jitter starts a run after its tick, and never after the next one', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('* * * * *', '0 3 * * *', '*/10 * * * * *'),
      fc.integer({ min: 0, max: 86_400_000 }),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (cron, jitterMs, random) => {
        const times = { cron, timeZone: 'UTC', jitterMs }
        const timing = { now: start, random: () => random }
        const { nextTick, nextAt } = nextOf(times, start, timing)
        const following = nextOf(times, nextTick!, timing).nextTick!
        assert.ok(nextAt! >= nextTick! && nextAt! < following && nextAt! <= nextTick! + jitterMs)
      },
    ),
  )
})

test('the next five runs of a schedule are returned, each with its time zone offset', () => {
  const times = { cron: '30 2 * * *', timeZone: 'Europe/Berlin', jitterMs: 0 }
  assert.deepEqual(nextRuns(times, Date.UTC(2026, 9, 24)), [
    '2026-10-24T02:30:00+02:00',
    '2026-10-25T02:30:00+02:00',
    '2026-10-26T02:30:00+01:00',
    '2026-10-27T02:30:00+01:00',
    '2026-10-28T02:30:00+01:00',
  ])
})
