// Checks a WACZ file against specification 1.1.1: hashes, the offsets in the index, and the list of pages.
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { type CheckedRecord, checkWarc } from './check-warc.ts'
import { type ZipEntry, ZipReader } from './zip-reader.ts'

interface WaczProblem {
  /** The file of the archive that has the problem, with an offset or line if there is one. */
  where: string
  what: string
}

export interface WaczCheck {
  problems: WaczProblem[]
  /** Number of WARC files. */
  files: number
  records: number
  /** Number of lines in the index. */
  indexed: number
  pages: number
}

/** Maximum number of problems that are listed. Further problems are only counted. */
const mostProblems = 1_000

/** `mostBytes` is the limit for the decompressed size of each file and each record. */
export async function checkWacz(file: FileHandle, mostBytes?: number): Promise<WaczCheck> {
  return new Checker(await ZipReader.open(file, mostBytes)).check()
}

interface Resource {
  path?: unknown
  hash?: unknown
  bytes?: unknown
}

class Checker {
  readonly #zip: ZipReader
  readonly #problems: WaczProblem[] = []
  /** Records that the index must contain, by WARC file and offset. */
  readonly #records = new Map<string, Map<number, CheckedRecord>>()
  readonly #urls = new Set<string>()
  #count = 0

  constructor(zip: ZipReader) {
    this.#zip = zip
  }

  async check(): Promise<WaczCheck> {
    await this.#checkPackage()
    for (const entry of this.#under('archive/')) await this.#checkArchive(entry)
    this.#checkRevisits()
    const indexed = await this.#checkIndexes()
    const pages = await this.#checkPages()
    const { size: files } = this.#records
    if (files === 0) this.#report('archive/', 'there is no WARC file')
    return { problems: this.#problems, files, records: this.#count, indexed, pages }
  }

  #report(where: string, what: string): void {
    if (this.#problems.length < mostProblems) this.#problems.push({ where, what })
  }

  #under(folder: string): ZipEntry[] {
    return [...this.#zip.entries.values()].filter(
      ({ name }) => name.startsWith(folder) && !name.endsWith('/'),
    )
  }

  async #checkPackage(): Promise<void> {
    const name = 'datapackage.json'
    const text = await this.#textOf(name)
    if (text === null) return void this.#report(name, 'the file is missing')
    const described = this.#json(name, text) as {
      profile?: unknown
      wacz_version?: unknown
      resources?: Resource[]
    } | null
    if (!described) return
    if (described.profile !== 'data-package') this.#report(name, 'profile is not "data-package"')
    if (typeof described.wacz_version !== 'string') this.#report(name, 'wacz_version is missing')
    if (!Array.isArray(described.resources)) return void this.#report(name, 'resources is not a list')
    for (const resource of described.resources) await this.#checkResource(resource)
    const listed = new Set(described.resources.map(({ path }) => path))
    for (const folder of ['archive/', 'indexes/', 'pages/'])
      for (const entry of this.#under(folder))
        if (!listed.has(entry.name)) this.#report(name, `resources lacks ${entry.name}`)
    await this.#checkDigest(text)
  }

  async #checkResource({ path, hash, bytes }: Resource): Promise<void> {
    const where = `datapackage.json ${String(path)}`
    const entry = this.#zip.entries.get(String(path))
    if (!entry) return void this.#report(where, 'the archive lacks this file')
    if (bytes !== entry.plainBytes)
      this.#report(where, `it has ${entry.plainBytes} bytes, not ${String(bytes)}`)
    const [kind, expected] = String(hash).split(':', 2)
    if (kind !== 'sha256' && kind !== 'md5')
      return void this.#report(where, `the hash "${String(hash)}" is not sha256 or md5`)
    const digest = createHash(kind)
    for await (const chunk of this.#zip.chunks(entry)) digest.update(chunk)
    const actual = digest.digest('hex')
    if (actual !== expected) this.#report(where, `its hash is ${kind}:${actual}, not ${String(hash)}`)
  }

  async #checkDigest(described: string): Promise<void> {
    const name = 'datapackage-digest.json'
    const text = await this.#textOf(name)
    if (text === null) return void this.#report(name, 'the file is missing')
    const digest = this.#json(name, text) as { path?: unknown; hash?: unknown } | null
    if (!digest) return
    const actual = `sha256:${createHash('sha256').update(described).digest('hex')}`
    if (digest.path !== 'datapackage.json') this.#report(name, 'path is not "datapackage.json"')
    if (digest.hash !== actual)
      this.#report(name, `the hash of datapackage.json is ${actual}, not ${String(digest.hash)}`)
  }

  async #checkArchive(entry: ZipEntry): Promise<void> {
    const { name, method } = entry
    if (!/\.warc(\.gz)?$/.test(name)) return void this.#report(name, 'the file is not a .warc or .warc.gz')
    if (method !== 0)
      this.#report(name, 'the file is compressed in the ZIP, so readers cannot read ranges of it')
    const report = (where: string, what: string) => this.#report(where, what)
    const { records, count } = checkWarc(name, await this.#zip.read(entry), report, this.#zip.mostBytes)
    this.#records.set(name.slice('archive/'.length), records)
    this.#count += count
    for (const { url } of records.values()) this.#urls.add(url)
  }

  #checkRevisits(): void {
    const all = [...this.#records].flatMap(([name, records]) =>
      [...records].map(([at, record]) => ({ name, at, record })),
    )
    const known = new Set(
      all.flatMap(({ record: { type, url, date, digest } }) =>
        type === 'response' ? [`${url} ${date} ${digest}`] : [],
      ),
    )
    for (const { name, at, record } of all)
      if (record.refersTo !== null && !known.has(`${record.refersTo} ${record.digest}`))
        this.#report(
          `archive/${name} at ${at}`,
          `the revisit refers to ${record.refersTo}, which is not in the archive`,
        )
  }

  async #checkIndexes(): Promise<number> {
    const indexes = this.#under('indexes/').filter(({ name }) => /\.cdxj?(\.gz)?$/.test(name))
    if (indexes.length === 0) this.#report('indexes/', 'there is no .cdx or .cdx.gz file')
    const found = new Set<CheckedRecord>()
    let count = 0
    for (const entry of indexes) {
      const bytes = await this.#zip.read(entry)
      const text = entry.name.endsWith('.gz') ? this.#gunzipped(entry.name, bytes) : bytes
      if (text) count += this.#checkIndex(entry.name, text.toString(), found)
    }
    for (const [name, records] of this.#records)
      for (const [at, record] of records)
        if (!found.has(record)) this.#report(`archive/${name} at ${at}`, `no index has ${record.url}`)
    return count
  }

  #gunzipped(name: string, bytes: Buffer): Buffer | null {
    try {
      return gunzipSync(bytes, { maxOutputLength: this.#zip.mostBytes })
    } catch (error) {
      this.#report(name, `it cannot be decompressed: ${(error as Error).message}`)
      return null
    }
  }

  #checkIndex(name: string, text: string, found: Set<CheckedRecord>): number {
    let last: Buffer | null = null
    const lines = text.split('\n').filter(line => line !== '')
    for (const [index, line] of lines.entries()) {
      const where = `${name} line ${index + 1}`
      const bytes = Buffer.from(line)
      if (last && Buffer.compare(last, bytes) > 0) this.#report(where, 'the lines are not sorted')
      last = bytes
      this.#checkLine(where, line, found)
    }
    return lines.length
  }

  #checkLine(where: string, line: string, found: Set<CheckedRecord>): void {
    const [, timestamp, rest] = /^\S+ (\d{14,17}) (\{.*\})$/.exec(line) ?? []
    if (rest === undefined) return void this.#report(where, 'the line is not "key timestamp {…}"')
    const fields = this.#json(where, rest) as Record<string, unknown> | null
    if (!fields) return
    const record = this.#records.get(String(fields.filename))?.get(Number(fields.offset))
    if (!record)
      return void this.#report(
        where,
        `no record begins at ${String(fields.offset)} of ${String(fields.filename)}`,
      )
    found.add(record)
    const expected: Record<string, unknown> = {
      ...{ length: String(record.length), url: record.url },
      ...(record.status !== null && { status: String(record.status) }),
      ...(record.type === 'revisit' && { mime: 'warc/revisit' }),
    }
    for (const [field, value] of Object.entries(expected))
      if (String(fields[field]) !== value)
        this.#report(where, `${field} is ${String(fields[field])}, but the record has ${String(value)}`)
    const digest = String(fields.digest ?? '').replace(/^sha1:/, '')
    if (fields.digest !== undefined && digest !== record.digest.replace(/^sha1:/, ''))
      this.#report(where, `digest is ${digest}, but the record has ${record.digest}`)
    if (timestamp !== record.date.replace(/\D/g, '').slice(0, timestamp!.length))
      this.#report(where, `the timestamp is ${timestamp}, but the record has ${record.date}`)
  }

  async #checkPages(): Promise<number> {
    const name = 'pages/pages.jsonl'
    const text = await this.#textOf(name)
    if (text === null) {
      this.#report(name, 'the file is missing')
      return 0
    }
    const [head, ...lines] = text.split('\n').filter(line => line !== '')
    const described = this.#json(`${name} line 1`, head ?? '') as Record<string, unknown> | null
    if (described && (described.format !== 'json-pages-1.0' || !described.id || !described.title))
      this.#report(`${name} line 1`, 'the header needs format "json-pages-1.0", id and title')
    for (const [index, line] of lines.entries()) this.#checkPage(`${name} line ${index + 2}`, line)
    return lines.length
  }

  #checkPage(where: string, line: string): void {
    const page = this.#json(where, line) as Record<string, unknown> | null
    if (!page) return
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(String(page.ts)))
      this.#report(where, `ts "${String(page.ts)}" is not an RFC 3339 date`)
    if (typeof page.url !== 'string') return void this.#report(where, 'url is missing')
    if (!this.#urls.has(page.url)) this.#report(where, `no record has ${page.url}`)
  }

  async #textOf(name: string): Promise<string | null> {
    const entry = this.#zip.entries.get(name)
    return entry ? (await this.#zip.read(entry)).toString() : null
  }

  #json(where: string, text: string): unknown {
    try {
      return JSON.parse(text)
    } catch (error) {
      this.#report(where, `it is not JSON: ${(error as Error).message}`)
      return null
    }
  }
}
