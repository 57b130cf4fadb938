// Limits record lists by bytes too: a thousand records of 16 MB would exhaust the memory.

interface ListedRecord {
  data: string
  input: string | null
}

/** A list ends early with the record that reaches it. */
export const mostListedBytes = 33_554_432

/** Whether more records follow although the list is shorter than requested. */
export function isCutShort(records: ReadonlyArray<ListedRecord>): boolean {
  let bytes = 0
  for (const { data, input } of records) bytes += Buffer.byteLength(data) + Buffer.byteLength(input ?? '')
  return bytes >= mostListedBytes
}

/** Whether the list, requested with `limit`, is the last one. */
export const isLastList = (records: ReadonlyArray<ListedRecord>, limit: number): boolean =>
  records.length < limit && !isCutShort(records)
