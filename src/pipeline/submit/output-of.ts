// An output file as people name it.
import { resolve } from 'node:path'
import { Failure } from '../../model/failures.ts'
import { type Output, outputFormats } from '../../model/job.ts'

/** Absolute, so that a resume from another folder completes the same file. */
export const placeOf = (path: string): string => (path === '-' ? path : resolve(path))

/** The format is known by the ending. */
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
