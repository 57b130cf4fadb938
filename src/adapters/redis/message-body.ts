// The fields of a stream entry.
import { jsonIn } from '../../model/json.ts'

export const bodyField = 'body'
/** Marks messages that are delivered again because the consumer group was lost. */
export const againField = 'again'

/** The message of an entry; undefined if another program wrote the entry. */
export const bodyOf = (fields: Record<string, string>): unknown => jsonIn(fields[bodyField] ?? '')
