// What tools answer: our own facts as JSON, and text of strangers between fences.
import * as z from 'zod'
import { asFailure, Failure } from '../../../model/failures.ts'
import { webUrl } from '../../../model/job.ts'
import { mapKeys, snake } from '../../../model/letter-case.ts'
import { fenced } from './fence.ts'

export const cursor = z
  .string()
  .max(500)
  .optional()
  .describe('`next_cursor` of the answer before, to go on where it ended.')
export const chars = (usual: number) =>
  z
    .int()
    .min(500)
    .max(100_000)
    .default(usual)
    .describe('The most text to answer with; the rest is had with the cursor.')
export const url = webUrl.describe('An http or https address.')

export interface Told {
  /** Ours: may be said as it is. */
  facts: Record<string, unknown>
  /** Theirs: goes between fences. */
  text?: string
  hidden?: readonly string[]
}

const shown = ({ facts, text, hidden }: Told) => ({
  content: [
    { type: 'text' as const, text: JSON.stringify(mapKeys(facts, snake), null, 2) },
    ...(text === undefined ? [] : [{ type: 'text' as const, text: fenced(text, hidden).text }]),
  ],
})

/** A tool that fails says why, to whoever called it; the message of a site's failure may hold words of the site. */
export async function answered(work: () => Promise<Told>) {
  try {
    return shown(await work())
  } catch (error) {
    const { code, message } = asFailure(error)
    const told = code === 'internal.bug' ? 'something went wrong here; the log has it' : message
    return { isError: true, content: [{ type: 'text' as const, text: `${code}: ${fenced(told).text}` }] }
  }
}

export const reads = { readOnlyHint: true, openWorldHint: true }
export const looks = { readOnlyHint: true, openWorldHint: false }

/** Only a cursor may stand in its place. */
export function needed(given: string | undefined): string {
  if (given !== undefined) return given
  throw new Failure('input.invalid', 'url: name the address, or pass the cursor of an answer before', {
    path: 'url',
  })
}

/** One that is longer than an answer is cut; `scrape` with a cursor has the whole page. */
export function cut(item: object, most: number): string {
  const text = JSON.stringify(mapKeys(item, snake))
  return text.length <= most ? text : `${text.slice(0, most)}… [cut: ${text.length} characters in all]`
}
