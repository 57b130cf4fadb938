// What the client says it gets is what the service says it gives; checked by the compiler.
import { test } from 'node:test'
import type * as z from 'zod'
import type {
  ComparisonPage,
  HostShown,
  Item,
  JobPlan,
  JobStatus,
  JobSummary,
  MonitorCheck,
  MonitorCheckInFull,
  MonitorShown,
  NewPreview,
  Preview,
  ResultPage,
  ScheduleRunShown,
  ScheduleShown,
  StartedCheck,
  UploadPlace,
  UploadShown,
} from '../../src/client.ts'
import type { shownHost } from '../../src/server/api/hosts/schemas.ts'
import type { listedJob } from '../../src/server/api/jobs/listed.ts'
import type { itemSummary, jobStatus, jobSummary, resultPage } from '../../src/server/api/jobs/schemas.ts'
import type {
  checkInFull,
  shownCheck,
  shownMonitor,
  startedCheck,
} from '../../src/server/api/monitors/schemas.ts'
import type { planShown } from '../../src/server/api/plan.ts'
import type { preview, previewBody } from '../../src/server/api/previews/schemas.ts'
import type { comparison, shownRun, shownSchedule } from '../../src/server/api/schedules/schemas.ts'
import type { createdUpload, shownUpload } from '../../src/server/api/uploads/schemas.ts'

/** Every name that the client tells of is one that the service gives; nothing that it gives is kept from the client. */
type SameNames<Ours, Theirs> = [
  Exclude<keyof Ours, keyof Theirs>,
  Exclude<keyof Theirs, keyof Ours>,
] extends [never, never]
  ? true
  : [Exclude<keyof Ours, keyof Theirs>, Exclude<keyof Theirs, keyof Ours>]

const same: [
  SameNames<Omit<JobSummary, 'counts' | 'live'>, z.output<typeof jobSummary>>,
  SameNames<Omit<JobStatus, 'live'>, z.output<typeof jobStatus>>,
  SameNames<JobStatus['counts'], z.output<typeof jobStatus>['counts']>,
  SameNames<JobStatus['asked'], z.output<typeof jobStatus>['asked']>,
  SameNames<Omit<Item, 'input' | 'history' | 'records' | 'artifacts'>, z.output<typeof itemSummary>>,
  SameNames<ResultPage, z.output<typeof resultPage>>,
  SameNames<ScheduleShown, z.output<typeof shownSchedule>>,
  SameNames<ScheduleRunShown, z.output<typeof shownRun>>,
  SameNames<ComparisonPage, z.output<typeof comparison>>,
  SameNames<MonitorShown, z.output<typeof shownMonitor>>,
  SameNames<MonitorCheck, z.output<typeof shownCheck>>,
  SameNames<MonitorCheckInFull, z.output<typeof checkInFull>>,
  SameNames<StartedCheck, z.output<typeof startedCheck>>,
  SameNames<HostShown, z.output<typeof shownHost>>,
  SameNames<UploadShown, z.output<typeof shownUpload>>,
  SameNames<UploadPlace, z.output<typeof createdUpload>>,
  SameNames<JobSummary, z.output<typeof listedJob>>,
  SameNames<NonNullable<JobSummary['live']>, NonNullable<z.output<typeof listedJob>['live']>>,
  SameNames<Preview, z.output<typeof preview>>,
  SameNames<NewPreview, z.input<typeof previewBody>>,
  SameNames<JobPlan, z.output<typeof planShown>>,
  SameNames<JobPlan['estimate'], z.output<typeof planShown>['estimate']>,
] = [
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
]

test('the types of the client fit the answers of the service', () => void same)
