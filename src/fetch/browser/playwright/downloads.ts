// Downloads of a page. Files are stored in the folder of the context and limited in size.
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Download } from 'playwright-core'
import { asFailure, Failure } from '../../../model/failures.ts'
import type { LoadedPage } from '../driver.ts'

type KeptDownload = LoadedPage['downloads'][number]

const maxDownloads = 20
/** How often the size of a running download is checked. */
const lookEveryMs = 200

interface DownloadOptions {
  dir: string
  maxBytes: number
}

export class Downloads {
  readonly #options: DownloadOptions
  readonly #started = new Map<Download, Promise<KeptDownload>>()
  readonly #begun = Promise.withResolvers<void>()

  constructor(options: DownloadOptions) {
    this.#options = options
  }

  /** Starts to store a download. `kept`, `first` and `all` report its failure. */
  take(download: Download): void {
    const number = this.#started.size + 1
    const kept = number > maxDownloads ? refused(download) : this.#keep(download, number)
    kept.catch(() => {})
    this.#started.set(download, kept)
    this.#begun.resolve()
  }

  /** Waits for the file that the navigation turned into. Rejects if the file is incomplete. */
  async first(): Promise<KeptDownload> {
    await this.#begun.promise
    return this.#started.values().next().value!
  }

  /** Waits for the stored file. Rejects if it is incomplete. The file is moved, so Playwright's own path is invalid
   *  afterwards. */
  async kept(download: Download): Promise<KeptDownload> {
    return this.#started.get(download)!
  }

  /** Waits until all downloads have ended. Returns the complete files, and the failures of the others. */
  async all(): Promise<Pick<LoadedPage, 'downloads' | 'notKept'>> {
    const ended = await Promise.allSettled(this.#started.values())
    return {
      downloads: ended.flatMap(end => (end.status === 'fulfilled' ? [end.value] : [])),
      notKept: ended.flatMap(end => (end.status === 'rejected' ? [asFailure(end.reason).message] : [])),
    }
  }

  async #keep(download: Download, number: number): Promise<KeptDownload> {
    const fileName = safeName(download.suggestedFilename())
    const path = join(this.#options.dir, `${number}-${fileName}`)
    const saved = download.saveAs(path)
    using watch = this.#watchSize(download)
    await saved.catch(cause => {
      throw watch.isTooLarge ? this.#tooLarge(fileName) : broken(fileName, download.url(), cause)
    })
    await download.delete().catch(() => {})
    const { size: bytes } = await stat(path)
    if (bytes > this.#options.maxBytes) {
      await rm(path, { force: true })
      throw this.#tooLarge(fileName)
    }
    return { fileName, type: '', path, bytes }
  }

  /** Playwright reports only the start and the end of a download, so the file size is polled. */
  #watchSize(download: Download): Disposable & { isTooLarge: boolean } {
    const path = placeOf(download)
    const look = async () => {
      const size = path === undefined ? 0 : ((await stat(path).catch(() => null))?.size ?? 0)
      if (size <= this.#options.maxBytes) return
      watch.isTooLarge = true
      clearInterval(timer)
      await download.cancel().catch(() => {})
    }
    const timer = setInterval(look, lookEveryMs)
    const watch = { isTooLarge: false, [Symbol.dispose]: () => clearInterval(timer) }
    return watch
  }

  #tooLarge(fileName: string): Failure {
    const { maxBytes } = this.#options
    const message = `the download ${fileName} is larger than ${maxBytes} bytes; raise max_bytes in the policy`
    return new Failure('download.too-large', message, { fileName, maxBytes })
  }
}

async function refused(download: Download): Promise<never> {
  download.cancel().catch(() => {})
  const fileName = safeName(download.suggestedFilename())
  const message = `the download ${fileName} was stopped: the page started more than ${maxDownloads} downloads`
  throw new Failure('download.too-large', message, { url: download.url() })
}

const broken = (fileName: string, url: string, cause: unknown): Failure => {
  const reason = String((cause as Error).message).split('\n', 1)[0]
  return new Failure('connection.lost', `the download ${fileName} broke off: ${reason}`, { url }, { cause })
}

/** A bare file name: no folder, no control characters, limited length. */
const safeName = (name: string): string =>
  name
    .replace(/[/\\\u0000-\u001f\u007f]/g, '_')
    .replace(/^\.+/, '_')
    .slice(-150) || 'download'

/** The path where Playwright writes the download. This is an internal property of the package. */
const placeOf = (download: Download): string | undefined =>
  (download as unknown as { _artifact?: { _initializer?: { absolutePath?: string } } })._artifact
    ?._initializer?.absolutePath
