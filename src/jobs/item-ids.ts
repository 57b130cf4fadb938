// Validates the item ids of callers: they must be unique and different from our generated names.
import { Failure } from '../model/failures.ts'
import { id } from '../model/ids.ts'
import type { JobSpec } from '../model/job.ts'

type Layout = JobSpec['results']['layout']

/** Why an item id is invalid; null if it is valid. */
export function itemIdProblem(itemId: string, layout: Layout): string | null {
  const shown = itemId.length > 60 ? `${itemId.slice(0, 59)}…` : itemId
  if (!id.safeParse(itemId).success)
    return `item_id "${shown}" is invalid: use letters, digits, ".", "_" and "-", at most 128, and no ".."`
  // In the items layout, each item has a folder with its id as name. Items without an id have the folder `task-N`.
  if (layout === 'items' && /^task-\d+$/i.test(itemId))
    return `item_id "${shown}" is reserved: with the layout items, task-N is the folder of an item without an id; choose another id`
  return null
}

interface NamedItem {
  itemId?: string | undefined
  input: unknown
}

/** Throws if an item id is invalid or occurs twice. Two items with the same id would become one task, so one would be lost. */
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
  first === undefined ? null : `item_id "${itemId}" is already used by items[${first}]`
