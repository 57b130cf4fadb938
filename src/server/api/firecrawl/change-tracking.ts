// changeTracking: compares a page with its last scrape. Snapshots are stored by URL and tag. Scrapes without
// changeTracking have no tag.
import { createHash } from 'node:crypto'
import { snapshotFolder } from '../../../lib/snapshot-keys.ts'
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
  /** The id of the scrape that took the snapshot. */
  scrape: string
  at: number
  markdown: string
  /** Set if `markdown` is a hash of the text, because the page is too long or was scraped without changeTracking. */
  isHash?: true
  json: Record<string, unknown> | null
}

/** Reads the markdown of an earlier scrape; null if it is deleted. */
type TextOfScrape = (scrape: string) => Promise<string | null>

/** Maximum number of characters in a snapshot, because the API thread parses several snapshots per scrape. */
const longestKept = 500_000

const shortened = (snapshot: Snapshot): Snapshot =>
  snapshot.markdown.length <= longestKept ? snapshot : hashed(snapshot)

const hashed = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  markdown: hashOf(snapshot.markdown),
  isHash: true,
})

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Number of snapshots that are stored per page. There are several, so that a scrape that ends late still finds the snapshot
 *  before it. */
const keptSnapshots = 5

/** The blob key of a page's snapshots. It starts with the host, because an erasure deletes all snapshots of a host. URLs
 *  that differ only in the fragment have the same key. */
function keyOf(workspace: string, tag: string | null, url: string): string {
  const { host, href, hash } = new URL(url)
  const name = hashOf(JSON.stringify([tag, href.slice(0, href.length - hash.length)]))
  return `${snapshotFolder(host)}${workspace}/${name.slice(0, 2)}/${name}.json`
}

export async function trackChange(
  blobs: Blobs,
  workspace: string,
  url: string,
  wanted: ChangeTracking,
  seen: Snapshot,
  textOf: TextOfScrape,
): Promise<Record<string, unknown>> {
  const before = await keep(blobs, keyOf(workspace, wanted.tag, url), shortened(seen))
  return changeOf(wanted, before, seen, textOf)
}

/** Stores a snapshot of a scrape without changeTracking, so that a later scrape can be compared with it. */
export async function noteScrape(
  blobs: Blobs,
  workspace: string,
  url: string,
  seen: Snapshot,
): Promise<void> {
  await keep(blobs, keyOf(workspace, null, url), hashed(seen))
}

/** Stores the snapshot, unless a snapshot of the same scrape is already stored. Returns the previous snapshot of the page; null
 *  if there is none. */
async function keep(blobs: Blobs, key: string, now: Snapshot): Promise<Snapshot | null> {
  const kept = await blobs.get(key)
  const known = kept ? (JSON.parse(kept.toString()) as Snapshot[]) : []
  if (!known.some(({ scrape }) => scrape === now.scrape)) {
    const all = [now, ...known].sort((first, second) => second.at - first.at)
    await blobs.put(key, Buffer.from(JSON.stringify(all.slice(0, keptSnapshots))))
  }
  return known.find(({ scrape, at }) => scrape !== now.scrape && at <= now.at) ?? null
}

async function changeOf(
  { modes }: ChangeTracking,
  before: Snapshot | null,
  now: Snapshot,
  textOf: TextOfScrape,
): Promise<Record<string, unknown>> {
  const isSame = before?.markdown === (before?.isHash ? hashOf(now.markdown) : now.markdown)
  const needsDiff = modes.includes('git-diff') && before !== null && !isSame
  const previous = needsDiff ? await previousText(before, now, textOf) : null
  return {
    previousScrapeAt: before && new Date(before.at).toISOString(),
    changeStatus: before === null ? 'new' : isSame ? 'same' : 'changed',
    visibility: 'visible',
    ...(previous !== null && { diff: diffOf(previous, now.markdown) }),
    ...(modes.includes('json') && before && { json: fieldChanges(before.json ?? {}, now.json ?? {}) }),
  }
}

/** The text of the last scrape. Null if it is deleted, or if a comparison would take too long. */
async function previousText(before: Snapshot, now: Snapshot, textOf: TextOfScrape): Promise<string | null> {
  const text = before.isHash ? await textOf(before.scrape) : before.markdown
  return text !== null && text.length <= longestKept && now.markdown.length <= longestKept ? text : null
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
