// Masks or drops personal data in records and in the input rows that they show. A warning lists the changed fields.
import { givenRow } from '../../model/followed.ts'
import { splitWay, wayWithRow } from '../../model/hidden-row.ts'
import type { TimedTask } from '../../model/lane.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { PageWay } from '../../model/policy/way.ts'
import type { Extracted, NewRecord, RecordData } from '../../model/record.ts'
import { type PiiFinding, withoutPii } from '../../normalize/index.ts'
import type { OpenJob } from './lane/open-job.ts'

/** Masks or drops personal data, as `pii` of the job requires. Adds a warning with the names of the changed fields. */
export function withoutPersonal({ job: { spec } }: OpenJob, extracted: Extracted[]): Extracted[] {
  const mode = spec.pii ?? 'keep'
  if (mode === 'keep') return extracted
  return extracted.map(record => {
    const { data, found } = withoutPii(record.data, mode)
    if (found.length === 0) return record
    return { ...record, data, warnings: [...(record.warnings ?? []), personalDataWarning(mode, found)] }
  })
}

/** An input row without personal data, and the warning that lists its changed columns. */
interface HiddenRow {
  row: RecordData
  warning: PageWarning
}

/** The row of a task without its personal data. Null if the row needs no change. */
export function hiddenRow({ job: { spec } }: OpenJob, task: Pick<TimedTask, 'input'>): HiddenRow | null {
  const mode = spec.pii ?? 'keep'
  const given = givenRow(task.input)
  if (mode === 'keep' || given === null) return null
  const { data, found } = withoutPii(JSON.parse(given) as RecordData, mode)
  if (found.length === 0) return null
  const named = found.map(finding => ({ ...finding, field: `${rowPrefix}${finding.field}` }))
  return { row: data, warning: personalDataWarning(mode, named) }
}

/** Prefix of column names in the warning. Exports also show the row as `_input`. */
const rowPrefix = '_input.'

/** Replaces the row in a cached record. The record still has the row of the task that created it. */
export function withRowOf(job: OpenJob, task: Pick<TimedTask, 'input'>, record: NewRecord): NewRecord {
  if ((job.job.spec.pii ?? 'keep') === 'keep') return record
  const { way, row } = splitWay(record.way)
  const hidden = hiddenRow(job, task)
  if (row === null && hidden === null) return record
  const others = (way?.warnings ?? []).filter(warning => !isOfRow(warning))
  const warnings = hidden ? [...others, hidden.warning] : others
  const { warnings: _, ...rest } = way ?? plainly
  return {
    ...record,
    way: wayWithRow({ ...rest, ...(warnings.length > 0 && { warnings }) }, hidden?.row ?? null),
  }
}

const plainly: PageWay = { way: 'http' }

const isOfRow = ({ code, fields = [] }: PageWarning): boolean =>
  code.startsWith('personal-data.') && fields.length > 0 && fields.every(field => field.startsWith(rowPrefix))

function personalDataWarning(mode: 'mask' | 'drop', found: PiiFinding[]): PageWarning {
  const what = found.map(
    ({ field, kind, count }) => `${field || 'the record'} (${kind}${count > 1 ? `, ${count} times` : ''})`,
  )
  const [code, done] =
    mode === 'mask'
      ? (['personal-data.masked', 'masked'] as const)
      : (['personal-data.dropped', 'dropped'] as const)
  return {
    code,
    message: `${done}: ${what.join(', ')}`,
    fields: [...new Set(found.map(({ field }) => field))],
  }
}
