// Validates item ids of callers: unique, and none of our generated names.
import { Failure } from '../model/failures.ts'
import { id } from '../model/ids.ts'
import type { JobSpec } from '../model/job.ts'

type Layout = JobSpec['results']['layout']

/** Why an item can't be called that; null when it can. */
export function itemIdProblem(itemId: string, layout: Layout): string | null {
  const shown = itemId.length > 60 ? `${itemId.slice(0, 59)}…` : itemId
  if (!id.safeParse(itemId).success)
    return `item_id "${shown}" may hold letters, digits, ".", "_" and "-", at most 128, and no ".."`
  // In the per-item layout the id is a folder, and items without one get a folder called by their number.
  if (layout === 'items' && /^task-\d+$/i.test(itemId))
    return `item_id "${shown}" is what an item without an id is called in the items layout; choose another`
  return null
}

interface NamedItem {
  itemId?: string | undefined
  input: unknown
}

/** Two items with one id would become one task and lose one of them, so the job is refused with both places. */
export function refuseItemIds(items: readonly NamedItem[], layout: Layout): void {
  const placeOf = new Map<string, number>()
  for (const [index, { itemId }] of items.entries()) {
    if (itemId === undefined) continue
    const problem = itemIdProblem(itemId, layout) ?? doubleProblem(itemId, placeOf.get(itemId))
    if (problem)
      throw new Failure('input.invalid', `items[${index}]: ${problem}`, { path: `items[${index}].item_id` })
    placeOf.set(itemId, index)
  }
}

const doubleProblem = (itemId: string, first: number | undefined): string | null =>
  first === undefined ? null : `item_id "${itemId}" is that of items[${first}] already`
