// Types of the client that are not inferred from the service's schemas have the same field names. The compiler checks it.
import { test } from 'node:test'
import type * as z from 'zod'
import type { Item, JobPlan, NewPreview, ResultPage } from '../../src/client.ts'
import type { itemShown, resultPage } from '../../src/model/api/items.ts'
import type { previewBody } from '../../src/model/api/previews.ts'
import type { planShown } from '../../src/server/api/plan.ts'

/** Every name in the client's types exists in the service, and the reverse. */
type SameNames<Ours, Theirs> = [
  Exclude<keyof Ours, keyof Theirs>,
  Exclude<keyof Theirs, keyof Ours>,
] extends [never, never]
  ? true
  : [Exclude<keyof Ours, keyof Theirs>, Exclude<keyof Theirs, keyof Ours>]

const same: [
  SameNames<Item, z.output<typeof itemShown>>,
  SameNames<ResultPage, z.output<typeof resultPage>>,
  SameNames<NewPreview, z.input<typeof previewBody>>,
  SameNames<JobPlan, z.output<typeof planShown>>,
  SameNames<JobPlan['estimate'], z.output<typeof planShown>['estimate']>,
] = [true, true, true, true, true]

test('the types of the client match the responses of the service', () => void same)
