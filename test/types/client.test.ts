// Checks that types of the client that are not inferred from the service's schemas have the same field names. The compiler does
// the check.
import { test } from 'node:test'
import type * as z from 'zod'
import type { FailedResult, RecordResult } from '../../src/client.ts'
import type { resultPage } from '../../src/model/api/items.ts'

/** True if every name in the client's types exists in the service, and every name of the service in the client's types. */
type SameNames<Ours, Theirs> = [
  Exclude<keyof Ours, keyof Theirs>,
  Exclude<keyof Theirs, keyof Ours>,
] extends [never, never]
  ? true
  : [Exclude<keyof Ours, keyof Theirs>, Exclude<keyof Theirs, keyof Ours>]

/** The client splits a result into records and failures, while the service has one schema for both. */
const same: SameNames<
  Omit<RecordResult, 'status'> & FailedResult,
  z.output<typeof resultPage>['items'][number]
> = true

test('the types of the client match the responses of the service', () => void same)
