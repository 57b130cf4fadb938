// Finds the columns of a job's records in a first pass over all of them.
import { suggest } from '../../lib/text/suggest.ts'
import { Failure } from '../../model/failures.ts'
import { type Survey, survey } from './columns.ts'
import { recordBatches } from './record-batches.ts'
import type { ExportSource } from './source.ts'
import { columnKey, isBelow, placeOfKey } from './table-rows.ts'

export async function surveyJob({ store, job, shape, columns, mustExplode }: ExportSource): Promise<Survey> {
  const found = await survey(recordBatches(store.records, job.id), shape, columns)
  if (mustExplode && shape.explode !== undefined && found.until > 0) refuseUnknown(shape.explode, found)
  return found
}

function refuseUnknown(explode: string, { table }: Survey): void {
  const wanted = columnKey('data', ...explode.split('.'))
  const keys = table.columns.map(({ key }) => key)
  if (keys.some(key => key === wanted || isBelow(key, wanted))) return
  const fields = keys.map(placeOfKey).filter(({ source }) => source === 'data')
  const names = [...new Set(fields.map(({ path }) => path[0]!))]
  const meant = suggest(explode, names)
  const hint = meant ? `did you mean "${meant}"?` : `the fields are ${names.join(', ')}`
  throw new Failure('input.invalid', `explode: no record has the field "${explode}"; ${hint}`, { explode })
}
