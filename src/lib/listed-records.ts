// Limits lists of records also by bytes, because a thousand records of 16 MB would exhaust the memory.

interface ListedRecord {
  data: string
  input: string | null
}

/** A list ends early after the record that reaches this size. */
export const mostListedBytes = 33_554_432

/** True if the list ended early because of its size, so that more records may follow. */
export function isCutShort(records: ReadonlyArray<ListedRecord>): boolean {
  let bytes = 0
  for (const { data, input } of records) bytes += Buffer.byteLength(data) + Buffer.byteLength(input ?? '')
  return bytes >= mostListedBytes
}

/** Whether the list, requested with `limit`, is the last one. */
export const isLastList = (records: ReadonlyArray<ListedRecord>, limit: number): boolean =>
  records.length < limit && !isCutShort(records)
