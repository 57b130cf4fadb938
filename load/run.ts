// One run from the first request to the report.
import { arrivals, byChance, evenly, seeded } from './arrivals.ts'
import { drain } from './drain.ts'
import type { Options } from './options.ts'
import { prepare } from './prepare.ts'
import { stagesOf } from './profiles.ts'
import { latenciesOf, type Report, scenarioReport } from './report.ts'
import { chooser, scenarioNames } from './scenarios.ts'
import { type Sent, send } from './send.ts'
import { Service } from './service.ts'
import { judge } from './thresholds.ts'

export interface Shown {
  progress: (sent: Sent, inFlight: number) => void
}

export async function run(options: Options, shown: Shown, stop: AbortSignal): Promise<Report> {
  await using opened = new AsyncDisposableStack()
  const service = opened.use(new Service(options))
  const random = seeded(options.seed)
  const world = await prepare(opened, service, options, random)
  const startedAt = new Date().toISOString()
  const stages = stagesOf(options.profile, options.rate, options.seconds)
  const sent = await send(
    world,
    {
      arrivals: arrivals(stages, options.isEven ? evenly : byChance(random)),
      choose: chooser(options.mix, random),
      mostInFlight: options.mostInFlight,
      progress: shown.progress,
    },
    stop,
  )
  const jobs = await drain(world, options.drainMs)
  return reportOf(options, { startedAt, run: world.run, sent, jobs, stoppedEarly: stop.aborted })
}

function reportOf(
  { profile, url, thresholds }: Options,
  { sent, ...rest }: Pick<Report, 'startedAt' | 'run' | 'jobs' | 'stoppedEarly'> & { sent: Sent },
): Report {
  const report: Report = {
    ...{ profile, url: url.href, ...rest, due: sent.due, dropped: sent.dropped },
    seconds: Math.round(sent.seconds * 100) / 100,
    lateMs: latenciesOf(sent.late),
    ...scenarioReport(sent.all, sent.seconds),
    scenarios: Object.fromEntries(
      scenarioNames.map(name => [name, scenarioReport(sent.byScenario[name], sent.seconds)]),
    ),
    ...{ thresholds: [], passed: false },
  }
  const judged = judge(thresholds, report)
  return { ...report, thresholds: judged, passed: judged.every(({ ok }) => ok) }
}
