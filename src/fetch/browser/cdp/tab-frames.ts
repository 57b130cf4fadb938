// Settings that a tab shares with its out-of-process frames: request guard, page watch, blocked URLs.
import { blockedPatterns } from '../blocked-urls.ts'
import type { LoadRequest } from '../driver.ts'
import type { Connection, Session } from './connection.ts'
import { FrameSessions } from './frame-sessions.ts'
import type { RequestGuard } from './request-guard.ts'
import type { Tab } from './tab.ts'

type BlockedUrls = Array<{ urlPattern: string; block: boolean }>

export interface TabWithFrames {
  tab: Tab
  guard: RequestGuard
  /** Null if frames share the process of their tab and workers are not recorded. */
  frames: FrameSessions | null
  blocked: BlockedUrls
}

export interface FrameParts {
  /** Connection for the sessions of frames. Null if their messages go through the session of the tab. */
  connection: Connection | null
  /** Applies the driver's own settings to a frame, after the shared ones. */
  prepare: (frame: Session) => Promise<unknown>
}

/** Applies the settings of the tab to its frames in other processes. */
export async function attendFrames(open: TabWithFrames, parts: FrameParts): Promise<void> {
  open.frames ??= framesOf(open, parts)
  await open.frames.attend('iframe')
}

/** Attaches to workers, so that what they load is recorded. Called only for tabs that record. */
export async function attendWorkers(open: TabWithFrames, parts: FrameParts): Promise<void> {
  open.frames ??= framesOf(open, parts)
  await open.frames.attend('worker')
}

function framesOf(open: TabWithFrames, { connection, prepare }: FrameParts): FrameSessions {
  const { tab, guard } = open
  return new FrameSessions({
    ...{ connection, session: tab.session },
    prepare: (frame, type) => {
      tab.watch.addFrame(frame)
      if (type === 'worker') return tab.recorder.addSession(frame)
      return Promise.all([
        ...enableNetwork(frame),
        frame.send('Network.setBlockedURLs', { urlPatterns: open.blocked }),
        guard.addFrame(frame),
        tab.recorder.addSession(frame),
        prepare(frame),
      ])
    },
    gone: frame => {
      tab.watch.removeFrame(frame)
      guard.removeFrame(frame)
      tab.recorder.removeSession(frame)
    },
  })
}

export const enableNetwork = (session: Session): Array<Promise<unknown>> => [
  session.send('Page.enable'),
  // Without buffers, because response bodies are not read from the browser here.
  session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
]

export async function blockUrls(
  open: TabWithFrames,
  block: LoadRequest['rendering']['block'],
): Promise<void> {
  const urlPatterns = blockedPatterns(block).map(urlPattern => ({ urlPattern, block: true }))
  if (JSON.stringify(open.blocked) === JSON.stringify(urlPatterns)) return
  open.blocked = urlPatterns
  for (const frame of open.frames?.all ?? [])
    frame.send('Network.setBlockedURLs', { urlPatterns }).catch(() => {})
  await open.tab.session.send('Network.setBlockedURLs', { urlPatterns })
}
