// Turns the path that a user gives for an output file into an output.
import { resolve } from 'node:path'
import { Failure } from '../../model/failures.ts'
import { type Output, outputFormats } from '../../model/job.ts'

/** The absolute path of an output, so that a resume from another folder writes the same file. `-` is standard output. */
export const placeOf = (path: string): string => (path === '-' ? path : resolve(path))

/** The output for a path. The extension selects the format. */
export function outputOf(path: string): Output {
  if (path === '-') return { path, format: 'jsonl' }
  const format = outputFormats.find(ending => path.toLowerCase().endsWith(`.${ending}`))
  if (format) return { path: placeOf(path), format }
  const endings = outputFormats.map(ending => `.${ending}`).join(' ')
  throw new Failure(
    'input.invalid',
    `output ${path}: the extension gives the format and must be one of ${endings}`,
    { path },
  )
}
