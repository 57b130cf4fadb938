// Lists of records are bounded by bytes too: a thousand records of 16 MB would end the process that lists them.

interface ListedRecord {
  data: string
  input: string | null
}

/** A list ends early with the record that reaches it. */
export const mostListedBytes = 33_554_432

/** Whether a list may go on, though it holds fewer records than were asked for. */
export function isCutShort(records: ReadonlyArray<ListedRecord>): boolean {
  let bytes = 0
  for (const { data, input } of records) bytes += Buffer.byteLength(data) + Buffer.byteLength(input ?? '')
  return bytes >= mostListedBytes
}

/** Whether nothing comes after this list, of which `limit` were asked for. */
export const isLastList = (records: ReadonlyArray<ListedRecord>, limit: number): boolean =>
  records.length < limit && !isCutShort(records)
