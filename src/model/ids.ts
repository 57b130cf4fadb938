// Ids that are safe in paths, keys and URLs.
import * as z from 'zod'

export const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export const id = z
  .string()
  .regex(idPattern, 'letters, digits, ".", "_" and "-", at most 128, starting with a letter or digit')
  .refine(value => !value.includes('..'), '".." is not allowed in an id')

/** Separates the chosen id from the workspace in a stored id (see `idIn`). A chosen id never contains this
 *  character. */
const ofWorkspace = '~'

export const idOfWorkspace = (chosen: string, workspace: string): string =>
  `${chosen}${ofWorkspace}${workspace}`

/** The id as its client chose it. */
export const chosenId = (stored: string): string => stored.split(ofWorkspace, 1)[0]!

/** Whether a stored id is safe in paths and short enough for the name of a folder. */
export function isStoredId(text: string): boolean {
  const parts = text.split(ofWorkspace)
  return (
    parts.length <= 2 &&
    text.length <= 250 &&
    parts.every(part => idPattern.test(part) && !part.includes('..'))
  )
}

/** The public id of a task: the job id as the client chose it, a dot, and the task number. */
export const taskId = (jobId: string, n: number): string => `${chosenId(jobId)}.${n}`

export function parseTaskId(text: string): { jobId: string; n: number } | null {
  const dot = text.lastIndexOf('.')
  const n = Number(text.slice(dot + 1))
  return dot > 0 && Number.isSafeInteger(n) && n > 0 ? { jobId: text.slice(0, dot), n } : null
}
