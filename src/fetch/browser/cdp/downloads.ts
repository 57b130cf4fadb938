// Downloads of a tab. Files are stored in one folder and limited in size. The file name that the page suggests is only
// displayed, never used as a path.
import { basename, join } from 'node:path'
import { Failure } from '../../../model/failures.ts'
import type { LoadedPage } from '../driver.ts'
import type { Session } from './connection.ts'
import type { EventOf } from './protocol.ts'

type Download = LoadedPage['downloads'][number]
type Ended = { download: Download } | { failure: Failure }

interface Running {
  url: string
  fileName: string
  ended: PromiseWithResolvers<Ended>
}

interface DownloadsOptions {
  browser: Session
  browserContextId: string
  folder: string
  maxBytes: number
  /** Whether a frame belongs to this context. Needed because the browser reports the downloads of all contexts. */
  isOurs: (frameId: string) => boolean
}

const maxFiles = 20

export class Downloads {
  readonly #options: DownloadsOptions
  readonly #running = new Map<string, Running>()
  #begun = Promise.withResolvers<void>()
  readonly #stop: Array<() => void>

  constructor(options: DownloadsOptions) {
    this.#options = options
    this.#stop = [
      options.browser.on('Browser.downloadWillBegin', event => this.#begins(event)),
      options.browser.on('Browser.downloadProgress', event => this.#goesOn(event)),
    ]
  }

  allow(): Promise<unknown> {
    const { browser, browserContextId, folder } = this.#options
    return browser.send('Browser.setDownloadBehavior', {
      behavior: 'allowAndName',
      downloadPath: folder,
      eventsEnabled: true,
      browserContextId,
    })
  }

  begin(): void {
    this.#running.clear()
    this.#begun = Promise.withResolvers()
  }

  /** Waits for the file that the navigation turned into. Rejects if the file is incomplete. */
  async first(): Promise<Download> {
    await this.#begun.promise
    const [running] = this.#running.values()
    const ended = await running!.ended.promise
    if ('failure' in ended) throw ended.failure
    return ended.download
  }

  /** Waits until all downloads have ended. Returns the complete files, and the failures of the others. */
  async all(): Promise<Pick<LoadedPage, 'downloads' | 'notKept'>> {
    const ended = await Promise.all([...this.#running.values()].map(running => running.ended.promise))
    return {
      downloads: ended.flatMap(end => ('download' in end ? [end.download] : [])),
      notKept: ended.flatMap(end => ('failure' in end ? [end.failure.message] : [])),
    }
  }

  close(): void {
    for (const stop of this.#stop) stop()
  }

  #begins({ frameId, guid, url, suggestedFilename }: EventOf<'Browser.downloadWillBegin'>): void {
    if (!this.#options.isOurs(frameId)) return
    const running = { url, fileName: safeName(suggestedFilename), ended: Promise.withResolvers<Ended>() }
    this.#running.set(guid, running)
    if (this.#running.size > maxFiles)
      this.#giveUp(guid, running, `the page started more than ${maxFiles} downloads`)
    this.#begun.resolve()
  }

  #goesOn({ guid, receivedBytes, state }: EventOf<'Browser.downloadProgress'>): void {
    const running = this.#running.get(guid)
    if (running === undefined) return
    const { folder, maxBytes } = this.#options
    if (receivedBytes > maxBytes)
      this.#giveUp(guid, running, `it is larger than ${maxBytes} bytes; raise max_bytes in the policy`)
    const { fileName, url, ended } = running
    if (state === 'completed') {
      ended.resolve({ download: { fileName, type: '', path: join(folder, guid), bytes: receivedBytes } })
    }
    if (state === 'canceled') ended.resolve({ failure: broken(url) })
  }

  #giveUp(guid: string, { url, ended }: Running, why: string): void {
    const { browser, browserContextId } = this.#options
    browser.send('Browser.cancelDownload', { guid, browserContextId }).catch(() => {})
    ended.resolve({
      failure: new Failure('download.too-large', `The download ${url} was stopped: ${why}`, { url }),
    })
  }
}

/** A file name to show to people. Never contains a path. */
const safeName = (suggested: string) => basename(suggested.replaceAll('\\', '/')).slice(0, 200) || 'download'

const broken = (url: string) =>
  new Failure('connection.lost', `The download ${url} ended before the file was complete`, { url })
