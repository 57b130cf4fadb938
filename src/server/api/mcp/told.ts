// Responses of tools: our facts as JSON, and web text between untrusted markers.
import * as z from 'zod'
import { asFailure, Failure } from '../../../model/failures.ts'
import { webUrl } from '../../../model/job.ts'
import { mapKeys, snake } from '../../../model/letter-case.ts'
import { fenced } from './fence.ts'

export const cursor = z
  .string()
  .max(500)
  .optional()
  .describe('`next_cursor` of the previous response, to continue there.')
export const chars = (usual: number) =>
  z
    .int()
    .min(500)
    .max(100_000)
    .default(usual)
    .describe('Most characters to return; the cursor returns the rest.')
export const url = webUrl.describe('An http or https URL.')

export interface Told {
  /** Our own data; needs no markers. */
  facts: Record<string, unknown>
  /** Text of the page; goes between markers. */
  text?: string
  hidden?: readonly string[]
}

const shown = ({ facts, text, hidden }: Told) => ({
  content: [
    { type: 'text' as const, text: JSON.stringify(mapKeys(facts, snake), null, 2) },
    ...(text === undefined ? [] : [{ type: 'text' as const, text: fenced(text, hidden).text }]),
  ],
})

/** Returns failures as tool errors. The message of a site failure may contain text of the site. */
export async function answered(work: () => Promise<Told>) {
  try {
    return shown(await work())
  } catch (error) {
    const { code, message } = asFailure(error)
    const told = code === 'internal.bug' ? 'internal error; the log has the details' : message
    return { isError: true, content: [{ type: 'text' as const, text: `${code}: ${fenced(told).text}` }] }
  }
}

export const reads = { readOnlyHint: true, openWorldHint: true }
export const looks = { readOnlyHint: true, openWorldHint: false }

/** The value may be missing only if a cursor is given. */
export function needed(given: string | undefined): string {
  if (given !== undefined) return given
  throw new Failure('input.invalid', 'url: give a URL, or pass the cursor of a previous response', {
    path: 'url',
  })
}

/** Cuts an item that is longer than a response; `scrape` with a cursor returns the whole page. */
export function cut(item: object, most: number): string {
  const text = JSON.stringify(mapKeys(item, snake))
  return text.length <= most ? text : `${text.slice(0, most)}… [cut: ${text.length} characters in all]`
}
