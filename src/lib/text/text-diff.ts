// Line diff of two texts, in hunks with context lines.

export type LineChange =
  | { is: 'same'; text: string; before: number; after: number }
  | { is: 'added'; text: string; after: number }
  | { is: 'removed'; text: string; before: number }

/** Line numbers on both sides start at 1. */
interface Hunk {
  before: { start: number; lines: number }
  after: { start: number; lines: number }
  changes: LineChange[]
}

/** Maximum number of differences that are computed. With more, everything between the common start and end counts as
 *  replaced. */
const mostEdits = 1_500
const linesAround = 3

export const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** Every line of both texts, in order. */
export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  const middle = shortestEdit(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  )
  return numbered([
    ...before.slice(0, start).map(same),
    ...middle,
    ...before.slice(before.length - end).map(same),
  ])
}

interface Edit {
  is: LineChange['is']
  text: string
}

const same = (text: string): Edit => ({ is: 'same', text })
const added = (text: string): Edit => ({ is: 'added', text })
const removed = (text: string): Edit => ({ is: 'removed', text })

function numbered(edits: Edit[]): LineChange[] {
  let [before, after] = [0, 0]
  return edits.map(({ is, text }) => {
    if (is !== 'added') before += 1
    if (is !== 'removed') after += 1
    if (is === 'same') return { is, text, before, after }
    return is === 'added' ? { is, text, after } : { is, text, before }
  })
}

/** Myers' algorithm: for each number of edits, the furthest point on every diagonal. */
function shortestEdit(before: readonly string[], after: readonly string[]): Edit[] {
  const rounds: Int32Array[] = []
  const most = Math.min(before.length + after.length, mostEdits)
  const reach = new Int32Array(2 * most + 3)
  const middle = most + 1
  for (let edits = 0; edits <= most; edits += 1) {
    rounds.push(reach.slice(middle - edits - 1, middle + edits + 2))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const isDown =
        diagonal === -edits ||
        (diagonal !== edits && reach[middle + diagonal - 1]! < reach[middle + diagonal + 1]!)
      let x = isDown ? reach[middle + diagonal + 1]! : reach[middle + diagonal - 1]! + 1
      let y = x - diagonal
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x += 1
        y += 1
      }
      reach[middle + diagonal] = x
      if (x >= before.length && y >= after.length) return walkBack(rounds, before, after)
    }
  }
  return [...before.map(removed), ...after.map(added)]
}

function walkBack(rounds: Int32Array[], before: readonly string[], after: readonly string[]): Edit[] {
  const edits: Edit[] = []
  let [x, y] = [before.length, after.length]
  for (let count = rounds.length - 1; count >= 0; count -= 1) {
    const round = rounds[count]!
    const at = (diagonal: number) => round[diagonal + count + 1]!
    const diagonal = x - y
    const isDown = diagonal === -count || (diagonal !== count && at(diagonal - 1) < at(diagonal + 1))
    const from = isDown ? diagonal + 1 : diagonal - 1
    const [startX, startY] = count === 0 ? [0, 0] : [at(from), at(from) - from]
    while (x > startX && y > startY && x > 0 && y > 0 && before[x - 1] === after[y - 1]) {
      edits.push(same(before[x - 1]!))
      x -= 1
      y -= 1
    }
    if (count === 0) break
    edits.push(isDown ? added(after[y - 1]!) : removed(before[x - 1]!))
    ;[x, y] = [startX, startY]
  }
  return edits.reverse()
}

/** The changed lines, with context lines around them. */
export function hunksOf(changes: readonly LineChange[], around = linesAround): Hunk[] {
  const changed = changes.flatMap(({ is }, index) => (is === 'same' ? [] : [index]))
  const spans: Array<{ from: number; to: number }> = []
  for (const index of changed) {
    const [from, to] = [Math.max(0, index - around), Math.min(changes.length, index + around + 1)]
    const last = spans.at(-1)
    if (last && from <= last.to) last.to = to
    else spans.push({ from, to })
  }
  return spans.map(({ from, to }) => hunkOf(changes, from, to))
}

function hunkOf(changes: readonly LineChange[], from: number, to: number): Hunk {
  const part = changes.slice(from, to)
  const earlier = changes.slice(0, from)
  const count = (list: readonly LineChange[], not: LineChange['is']) =>
    list.filter(({ is }) => is !== not).length
  const [before, after] = [count(part, 'added'), count(part, 'removed')]
  return {
    before: { start: count(earlier, 'added') + (before > 0 ? 1 : 0), lines: before },
    after: { start: count(earlier, 'removed') + (after > 0 ? 1 : 0), lines: after },
    changes: part,
  }
}

export const hunkHead = ({ before, after }: Hunk): string =>
  `@@ -${before.start},${before.lines} +${after.start},${after.lines} @@`

const marks = { same: ' ', added: '+', removed: '-' } as const
export const markedLine = ({ is, text }: LineChange): string => `${marks[is]}${text}`

/** The diff in the format of `diff -u`. Empty if nothing changed. */
export function unifiedDiff(before: string, after: string, names = ['before', 'after']): string {
  const hunks = hunksOf(diffLines(linesOf(before), linesOf(after)))
  if (hunks.length === 0) return ''
  const body = hunks.flatMap(hunk => [hunkHead(hunk), ...hunk.changes.map(markedLine)])
  return [`--- ${names[0]}`, `+++ ${names[1]}`, ...body].join('\n')
}
