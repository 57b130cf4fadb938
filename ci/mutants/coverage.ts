// Reads from V8's coverage files (NODE_V8_COVERAGE) which code a test run executed. Type stripping does not move code, so V8's
// offsets are also offsets into the TypeScript source.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Range {
  startOffset: number
  endOffset: number
  count: number
}

interface Script {
  url: string
  functions: Array<{ ranges: Range[] }>
}

/** Each process and thread of the run has its own ranges. */
export type Coverage = ReadonlyMap<string, Range[][]>

export function readCoverage(folder: string, urls: ReadonlySet<string>): Coverage {
  const coverage = new Map<string, Range[][]>()
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: Script[] }
    for (const { url, functions } of result) {
      if (!urls.has(url)) continue
      const ranges = functions.flatMap(one => one.ranges)
      coverage.set(url, [...(coverage.get(url) ?? []), ranges])
    }
  }
  return coverage
}

/** The smallest range around an offset says how often the code ran. */
export function runs(coverage: Coverage, url: string, offset: number): boolean {
  return (coverage.get(url) ?? []).some(ranges => countAt(ranges, offset) > 0)
}

function countAt(ranges: Range[], offset: number): number {
  let around: Range | null = null
  for (const range of ranges) {
    if (offset < range.startOffset || offset >= range.endOffset) continue
    if (!around || range.endOffset - range.startOffset <= around.endOffset - around.startOffset)
      around = range
  }
  return around?.count ?? 0
}
