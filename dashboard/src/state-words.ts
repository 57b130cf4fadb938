// Short texts and colours for the states of jobs and tasks, including states derived from several fields.
import type { JobSummary, JobWaiting } from './api.ts'

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'idle'

export interface StateWords {
  words: string
  tone: Tone
  /** Whether the job or task is in progress; the badge is then animated. */
  isLive?: boolean
  /** More detail, shown as a tooltip. */
  why?: string
}

const plain: Record<string, StateWords> = {
  pending: { words: 'Pending', tone: 'idle' },
  queued: { words: 'Queued', tone: 'idle' },
  running: { words: 'Running', tone: 'info', isLive: true },
  in_progress: { words: 'In progress', tone: 'info', isLive: true },
  paused: { words: 'Paused', tone: 'warn' },
  finishing: { words: 'Finishing', tone: 'info', isLive: true },
  completed: { words: 'Completed', tone: 'ok' },
  succeeded: { words: 'Succeeded', tone: 'ok' },
  partially_completed: { words: 'Partly completed', tone: 'warn' },
  failed: { words: 'Failed', tone: 'bad' },
  skipped: { words: 'Skipped', tone: 'idle' },
  cancelled: { words: 'Cancelled', tone: 'idle' },
}

interface PausedWords {
  words: string
  /** What a paused job waits for. It continues the sentence "waits for". */
  waitsFor: string
}

const pausedAtLimit = (what: string): PausedWords => ({
  words: `Paused: ${what} limit`,
  waitsFor: `a higher ${what} limit`,
})

const paused: Record<string, PausedWords> = {
  user: { words: 'Paused', waitsFor: 'a user to resume it' },
  breaker: { words: 'Paused: breaker', waitsFor: 'its hosts to recover' },
  'network.down': { words: 'Paused: network', waitsFor: 'any of its hosts to answer' },
  'storage.full': { words: 'Paused: storage full', waitsFor: 'free space in the storage' },
  'storage.failed': { words: 'Paused: storage', waitsFor: 'the storage to work again' },
  'waste.blocked': { words: 'Paused: walls', waitsFor: 'a user: most of its tasks end at walls' },
  interrupted: { words: 'Paused: interrupted', waitsFor: 'a process to run it' },
  import: { words: 'Paused: import', waitsFor: 'the end of its import' },
  'limit.pages': pausedAtLimit('page'),
  'limit.bytes': pausedAtLimit('data'),
  'limit.browser-seconds': pausedAtLimit('browser time'),
  'limit.money': pausedAtLimit('money'),
}

export const pausedWords = (reason: string | null): PausedWords =>
  paused[reason ?? 'user'] ?? { words: `Paused: ${reason}`, waitsFor: `a user to resume it (${reason})` }

/** Whether a limit must be raised before the job can continue. */
export const isAtLimit = ({ status, reason }: Pick<JobSummary, 'status' | 'reason'>): boolean =>
  status === 'paused' && reason?.startsWith('limit.') === true

const waitingWords: Record<string, StateWords> = {
  breaker: { words: 'Waiting: breaker', tone: 'bad' },
  hours: { words: 'Waiting for hours', tone: 'warn' },
  paused: { words: 'Host paused', tone: 'warn' },
  robots: { words: 'Waiting: robots.txt', tone: 'warn' },
  'retry-after': { words: 'Rate limited', tone: 'warn' },
  slowdown: { words: 'Rate limited', tone: 'warn' },
}

export const taskWords = (state: string): StateWords => plain[state] ?? { words: state, tone: 'idle' }

type Stands = Pick<JobSummary, 'status' | 'reason'> & {
  waiting?: readonly JobWaiting[] | undefined
  inFlight?: number | undefined
}

/** The state as a user sees it: a running job whose hosts all wait is shown as waiting. */
export function jobWords({ status, reason, waiting = [], inFlight = 0 }: Stands): StateWords {
  if (status === 'paused')
    return { words: pausedWords(reason).words, tone: reason === 'breaker' ? 'bad' : 'warn' }
  const known = plain[status] ?? { words: status, tone: 'idle' as const }
  const held = waiting.find(wait => wait.reason in waitingWords)
  if (status !== 'running' || inFlight > 0 || !held) return known
  const { words, tone } = waitingWords[held.reason]!
  return {
    words,
    tone,
    why: `${held.exampleHost} and ${held.hosts - 1} more hosts`.replace(' and 0 more hosts', ''),
  }
}

/** What tasks wait for, by reason. It continues the sentence "waits for". */
export const waitSentences: Record<string, string> = {
  rate: 'the host’s pace',
  'in-flight': 'requests in flight',
  'crawl-delay': 'the crawl delay of robots.txt',
  'retry-after': 'the time that the host asked for (Retry-After)',
  slowdown: 'the host, which asked to be slowed down',
  breaker: 'the breaker: the host failed too often',
  hours: 'the allowed hours of the host',
  paused: 'the host to be resumed',
  robots: 'robots.txt to be readable',
}

export const hasEnded = (status: string): boolean =>
  ['completed', 'partially_completed', 'failed', 'cancelled'].includes(status)

/** Reasons of tasks that were skipped on purpose. */
const idle =
  /^(duplicate|robots\.disallowed|scope|job|budget|trap|content|address|host\.denied|render\.needed)/

/** The colour of an outcome, by its reason. */
export function outcomeTone(reason: string): Tone {
  if (['ok', 'cached', 'not-modified'].includes(reason)) return 'ok'
  if (idle.test(reason)) return 'idle'
  if (/^(host\.(throttled|not-now)|robots\.unreachable|pool|worker|lease)/.test(reason)) return 'warn'
  return 'bad'
}
