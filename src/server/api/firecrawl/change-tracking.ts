// changeTracking: compares a page with its previous scrape. Snapshots are stored by URL and tag.
import { createHash } from 'node:crypto'
import {
  diffLines,
  hunkHead,
  hunksOf,
  type LineChange,
  linesOf,
  markedLine,
  unifiedDiff,
} from '../../../lib/text/text-diff.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { ChangeTracking } from './options.ts'

interface Snapshot {
  /** Id of the scrape. */
  scrape: string
  at: number
  markdown: string
  /** The page is too long to store: `markdown` is its hash. */
  isHash?: true
  json: Record<string, unknown> | null
}

/** Limits the size of a snapshot: the API thread parses several of them per scrape. */
const longestKept = 500_000

function shortened(snapshot: Snapshot): Snapshot {
  const { markdown } = snapshot
  if (markdown.length <= longestKept) return snapshot
  return { ...snapshot, markdown: createHash('sha256').update(markdown).digest('hex'), isHash: true }
}

/** With several snapshots, a late scrape still finds the one before it. */
const keptSnapshots = 5

const keyOf = (workspace: string, tag: string | null, url: string): string => {
  const name = createHash('sha256')
    .update(JSON.stringify([tag, url]))
    .digest('hex')
  return `snapshots/${workspace}/${name.slice(0, 2)}/${name}.json`
}

export async function trackChange(
  blobs: Blobs,
  workspace: string,
  url: string,
  wanted: ChangeTracking,
  seen: Snapshot,
): Promise<Record<string, unknown>> {
  const now = shortened(seen)
  const key = keyOf(workspace, wanted.tag, url)
  const kept = await blobs.get(key)
  const known = kept ? (JSON.parse(kept.toString()) as Snapshot[]) : []
  const before = known.find(({ scrape, at }) => scrape !== now.scrape && at <= now.at) ?? null
  if (!known.some(({ scrape }) => scrape === now.scrape)) {
    const all = [now, ...known].sort((first, second) => second.at - first.at)
    await blobs.put(key, Buffer.from(JSON.stringify(all.slice(0, keptSnapshots))))
  }
  return changeOf(wanted, before, now)
}

function changeOf(
  { modes }: ChangeTracking,
  before: Snapshot | null,
  now: Snapshot,
): Record<string, unknown> {
  const isSame = before?.markdown === now.markdown
  const isKept = !before?.isHash && !now.isHash
  return {
    previousScrapeAt: before && new Date(before.at).toISOString(),
    changeStatus: before === null ? 'new' : isSame ? 'same' : 'changed',
    visibility: 'visible',
    ...(modes.includes('git-diff') &&
      before &&
      !isSame &&
      isKept && { diff: diffOf(before.markdown, now.markdown) }),
    ...(modes.includes('json') && before && { json: fieldChanges(before.json ?? {}, now.json ?? {}) }),
  }
}

function diffOf(before: string, now: string): Record<string, unknown> {
  const hunks = hunksOf(diffLines(linesOf(before), linesOf(now)))
  const chunks = hunks.map(hunk => ({ content: hunkHead(hunk), changes: hunk.changes.map(shownLine) }))
  return {
    text: unifiedDiff(before, now, ['previous', 'current']),
    json: { files: [{ from: null, to: null, chunks }] },
  }
}

function shownLine(line: LineChange): Record<string, unknown> {
  const content = markedLine(line)
  if (line.is === 'same') return { type: 'normal', normal: true, ln1: line.before, ln2: line.after, content }
  return line.is === 'added'
    ? { type: 'add', add: true, ln: line.after, content }
    : { type: 'del', del: true, ln: line.before, content }
}

const fieldChanges = (
  before: Record<string, unknown>,
  now: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(now)])]
      .filter(name => JSON.stringify(before[name]) !== JSON.stringify(now[name]))
      .map(name => [name, { previous: before[name] ?? null, current: now[name] ?? null }]),
  )
