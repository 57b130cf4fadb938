// Converts reports to JSON form for another process. 64-bit keys become text, because JSON has no 64-bit numbers.
import type { PackedReport } from '../../model/cluster-messages.ts'
import type { TaskReport } from '../../model/lane.ts'

export function packReport(report: TaskReport): PackedReport {
  const { links, canonicalKey, contentKey } = report
  return {
    ...report,
    links: links && { ...links, keys: Array.from(links.keys, String) },
    canonicalKey: canonicalKey === null ? null : String(canonicalKey),
    contentKey: contentKey === null ? null : String(contentKey),
  }
}

export function unpackReport(packed: PackedReport): TaskReport {
  const { links, canonicalKey, contentKey } = packed
  return {
    ...packed,
    links: links && { ...links, keys: BigInt64Array.from(links.keys, BigInt) },
    canonicalKey: canonicalKey === null ? null : BigInt(canonicalKey),
    contentKey: contentKey === null ? null : BigInt(contentKey),
  }
}
