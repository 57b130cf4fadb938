// An export file that grows with the job. After a kill it continues at the stored position.
import { stat } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import type { StoredRecord } from '../../model/record.ts'
import type { OutputProgress } from '../../ports/store.ts'
import { openGrowing, openStream, type Sink } from './sink.ts'
import type { TextFormat } from './text-format.ts'

export class AppendExport implements AsyncDisposable {
  readonly #sink: Sink
  readonly #openFormat: () => Promise<TextFormat>
  #format: TextFormat | null = null
  #progress: OutputProgress

  private constructor(sink: Sink, openFormat: () => Promise<TextFormat>, progress: OutputProgress) {
    this.#sink = sink
    this.#openFormat = openFormat
    this.#progress = progress
  }

  /** `openFormat` is called when the first records are written, because some columns are not known earlier. If the file
   *  is shorter than recorded, it is written again from the store. */
  static async open(
    openFormat: () => Promise<TextFormat>,
    progress: OutputProgress,
    stdout: Writable,
  ): Promise<AppendExport> {
    const open = { ...progress, done: false }
    if (open.path === '-') return new AppendExport(openStream(stdout), openFormat, open)
    const isWhole = (await sizeOf(open.path)) >= open.bytes
    const from = isWhole ? open : { ...open, seq: 0, bytes: 0 }
    return new AppendExport(await openGrowing(from.path, from.bytes), openFormat, from)
  }

  /** Sequence number of the last record in the file. */
  get seq(): number {
    return this.#progress.seq
  }

  /** Appends records in order. Returns false if a record does not fit the format; this record and later ones are not
   *  written. */
  async write(records: StoredRecord[]): Promise<boolean> {
    this.#format ??= await this.#openFormat()
    let text = this.#sink.bytes === 0 ? this.#format.head : ''
    let seq = this.#progress.seq
    let fits = true
    for (const record of records) {
      const row = this.#format.row(record)
      fits = row !== null
      if (row === null) break
      text += row
      seq = record.seq
    }
    await this.#sink.write(text)
    this.#progress = { ...this.#progress, seq }
    return fits
  }

  /** The file is durable when the promise resolves. Store the returned progress only then. */
  async sync(): Promise<OutputProgress> {
    await this.#sink.sync()
    this.#progress = { ...this.#progress, bytes: this.#sink.bytes }
    return this.#progress
  }

  /** Completes the file. Call when no more records follow. */
  async finish(): Promise<OutputProgress> {
    await this.write([])
    this.#progress = { ...(await this.sync()), done: true }
    return this.#progress
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sink[Symbol.asyncDispose]()
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null)
  return found?.size ?? -1
}
