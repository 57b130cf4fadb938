// Ids that are safe in paths, keys and URLs.
import * as z from 'zod'

export const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export const id = z
  .string()
  .regex(idPattern, 'letters, digits, ".", "_" and "-", at most 128, starting with a letter or digit')
  .refine(value => !value.includes('..'), '".." is not allowed in an id')

/** A task is named by its job and its number in it. */
export const taskId = (jobId: string, n: number): string => `${jobId}.${n}`

export function parseTaskId(text: string): { jobId: string; n: number } | null {
  const dot = text.lastIndexOf('.')
  const n = Number(text.slice(dot + 1))
  return dot > 0 && Number.isSafeInteger(n) && n > 0 ? { jobId: text.slice(0, dot), n } : null
}
