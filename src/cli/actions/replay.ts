// Runs a recording: a job with one task, or one task per row.
import type { JobSpecInput } from '../../model/job.ts'
import {
  checkColumns,
  type Parameter,
  type ReadRecording,
  readRecordingFile,
  startOf,
} from '../../pipeline/submit/replay-input.ts'
import { specOf } from '../flags/flag-spec.ts'
import type { JobFlags } from '../flags/flags.ts'
import { inputFile } from '../jobs/input-file.ts'
import { startSpec } from '../jobs/start-job.ts'
import { print, printJson } from '../print.ts'
import { table } from '../show/job-tables.ts'
import { safe, talkOn } from '../talk.ts'

interface ReplayFlags extends JobFlags {
  rows?: string
  params?: boolean
}

export async function replay(path: string, flags: ReplayFlags): Promise<void> {
  const recording = readRecordingFile(path)
  if (flags.params) return showParameters(recording.parameters, flags.json === true)
  for (const line of recording.skipped) talkOn(process.stderr, flags).say(safe(line))
  warnOfPasswords(recording, flags)
  const spec = specFor(recording, flags)
  if (flags.rows === undefined)
    return startSpec(flags, { ...spec, urls: [startOf(recording, path)] }, { command: `replay ${path}` })
  const source = await inputFile(flags.rows, flags.dataDir)
  await checkColumns(source, recording)
  await startSpec(flags, spec, { command: `replay ${path} --rows ${flags.rows}`, source })
}

/** Every run starts without cookies and storage of earlier runs, like the recording, unless a flag names a session. */
export function specFor({ actions }: ReadRecording, flags: ReplayFlags): JobSpecInput {
  const spec = specOf(flags)
  const isolation = flags.session === undefined ? ('task' as const) : ('session' as const)
  const browser = { isolation, ...spec.policy?.browser }
  return { ...spec, actions: actions as JobSpecInput['actions'], policy: { ...spec.policy, browser } }
}

function showParameters(parameters: Parameter[], isJson: boolean): void {
  if (isJson) printJson(parameters)
  else
    print(parameters.length > 0 ? parameterTable(parameters) : 'The recording types nothing: no parameters.')
}

export const parameterTable = (parameters: Parameter[]): string =>
  table(
    ['PARAMETER', 'STEP', 'RECORDED VALUE'],
    parameters.map(({ name, recorded, step }) => [name, String(step), shown(recorded)]),
  )

const shown = (recorded: string | null): string =>
  recorded === null
    ? '(a password, not shown)'
    : safe(recorded.length > 60 ? `${recorded.slice(0, 59)}…` : recorded)

/** Warns that a password in the recording is stored with the job. */
function warnOfPasswords({ parameters }: ReadRecording, flags: ReplayFlags): void {
  const named = parameters
    .filter(({ recorded }) => recorded === null)
    .map(({ name, step }) => `${name} (step ${step})`)
  if (named.length === 0) return
  const way = 'write {{secret.NAME}} in its place and set SCRAPER_SECRET_NAME'
  talkOn(process.stderr, flags).say(
    `the recording contains a password in plain text: ${named.join(', ')}; ${way}`,
  )
}
