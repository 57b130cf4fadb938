// Small test data for results: pages, records, a job, and blobs in memory.
import { Failure } from '../../src/model/failures.ts'
import { type Job, jobSpec } from '../../src/model/job.ts'
import type { BlobRef, Page } from '../../src/model/page/page.ts'
import type { RecordData, StoredRecord } from '../../src/model/record.ts'
import type { Attempt, Task } from '../../src/model/task.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import type { RecordStore, TaskStore } from '../../src/ports/store.ts'

const started = Date.UTC(2026, 2, 4, 5, 6, 7, 89)

export function somePage(change: Partial<Page> = {}): Page {
  return {
    url: 'https://shop.example/p/1',
    finalUrl: 'https://shop.example/p/1',
    status: 200,
    headers: [
      ['content-type', 'text/html; charset=utf-8'],
      ['content-encoding', 'gzip'],
      ['content-length', '321'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ],
    body: Buffer.from('<!doctype html><title>Größe</title><p>one\r\n\r\ntwo'),
    wireBytes: 321,
    hops: [],
    remoteAddress: '192.0.2.7',
    httpVersion: '1.1',
    startedAt: started,
    sentAt: started,
    endedAt: started + 45,
    ...change,
  }
}

export function someJob(id = 'job-1', spec: Record<string, unknown> = {}): Job {
  return {
    id,
    kind: 'list',
    spec: jobSpec.parse({ urls: ['https://shop.example/'], ...spec }),
    state: 'finishing',
    reason: null,
    resumeAt: null,
    ingest: { source: null, done: true, rows: 0, blank: 0, rejected: 0, duplicates: 0 },
    createdAt: started,
    startedAt: started,
    finishedAt: null,
    workspace: 'default',
    face: 'cli',
    keyId: null,
    scheduleId: null,
    traceparent: null,
  }
}

export function someRecord(seq: number, data: RecordData, change: Partial<StoredRecord> = {}): StoredRecord {
  return {
    seq,
    jobId: 'job-1',
    n: seq,
    index: 0,
    url: `https://shop.example/p/${seq}`,
    finalUrl: `https://shop.example/p/${seq}`,
    status: 200,
    fetchedAt: started,
    scraper: 'page@1',
    itemId: null,
    input: null,
    data: JSON.stringify(data),
    provenance: null,
    way: null,
    ...change,
  }
}

export function someTask(n: number, change: Partial<Task> = {}): Task {
  return {
    jobId: 'job-1',
    n,
    kind: 'page',
    url: `https://shop.example/p/${n}`,
    host: 'shop.example',
    depth: 0,
    priority: 0,
    parent: null,
    input: null,
    itemId: null,
    state: 'succeeded',
    attempt: 1,
    charged: 0,
    reason: 'ok',
    message: null,
    notBefore: 0,
    duplicateOf: null,
    way: 'http',
    wayWhy: null,
    ...change,
  }
}

export function someAttempt(change: Partial<Attempt> = {}): Attempt {
  return {
    attempt: 1,
    startedAt: started,
    endedAt: started + 45,
    outcome: 'ok',
    message: null,
    status: 200,
    worker: 'w',
    proxy: null,
    bytes: 321,
    raw: null,
    way: 'http',
    artifacts: [],
    readMs: null,
    storeMs: null,
    ...change,
  }
}

/** Returns records from an array, or creates them when they are read, so that a test can have many without keeping them in memory. */
export function recordStore(
  records: StoredRecord[] | { count: number; make: (seq: number) => StoredRecord },
) {
  const list: RecordStore['list'] = async (_, { after, limit }) => {
    if (Array.isArray(records)) return records.filter(record => record.seq > after).slice(0, limit)
    const length = Math.max(0, Math.min(limit, records.count - after))
    return Array.from({ length }, (_, index) => records.make(after + index + 1))
  }
  const ofTask: RecordStore['ofTask'] = async () => []
  return { list, ofTask }
}

export function taskStore(tasks: Task[], attempts: Map<number, Attempt[]> = new Map()): TaskStore {
  const store: Pick<TaskStore, 'list' | 'attempts' | 'attemptsOf'> = {
    list: async (_, { states, after = 0, limit = 100 } = {}) =>
      tasks.filter(task => task.n > after && (states?.includes(task.state) ?? true)).slice(0, limit),
    attempts: async (_, n) => attempts.get(n) ?? [],
    attemptsOf: async (_, numbers) => new Map([...attempts].filter(([n]) => numbers.includes(n))),
  }
  return store as TaskStore
}

export class MapBlobs implements Blobs {
  readonly objects = new Map<string, Buffer>()
  reads = 0
  appends = 0
  refuse: Failure | null = null

  async put(key: string, bytes: Uint8Array): Promise<void> {
    this.objects.set(key, Buffer.from(bytes))
  }
  async append(name: string, bytes: Uint8Array): Promise<BlobRef> {
    if (this.refuse) throw this.refuse
    this.appends++
    const key = `${name}-000001.warc.zst`
    const before = this.objects.get(key) ?? Buffer.alloc(0)
    this.objects.set(key, Buffer.concat([before, bytes]))
    return { key, offset: before.length, length: bytes.length }
  }
  async overwrite(key: string, pieces: ReadonlyArray<{ offset: number; bytes: Uint8Array }>): Promise<void> {
    for (const { offset, bytes } of pieces) this.objects.get(key)!.set(bytes, offset)
  }
  async move(from: string, to: string): Promise<void> {
    this.objects.set(to, this.objects.get(from)!)
    this.objects.delete(from)
  }
  async putStream(key: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    this.objects.set(key, Buffer.concat(await Array.fromAsync(chunks)))
  }
  async *openRead(key: string): AsyncGenerator<Buffer> {
    const object = this.objects.get(key)
    if (!object) throw new Failure('storage.failed', `${key} does not exist`)
    yield object
  }
  async size(key: string): Promise<number | null> {
    return this.objects.get(key)?.length ?? null
  }
  async signedPut(): Promise<null> {
    return null
  }
  async signedGet(): Promise<null> {
    return null
  }
  async get(key: string): Promise<Buffer | null> {
    return this.objects.get(key) ?? null
  }
  async read({ key, offset, length }: BlobRef): Promise<Buffer> {
    this.reads++
    const object = this.objects.get(key)
    if (!object) throw new Failure('storage.failed', `${key} does not exist`)
    return object.subarray(offset, offset + length)
  }
  async *list(prefix: string) {
    for (const [key, bytes] of [...this.objects].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (key.startsWith(prefix)) yield { key, bytes: bytes.length, modifiedAt: 0 }
    }
  }
  async delete(keys: string[]): Promise<void> {
    for (const key of keys) this.objects.delete(key)
  }
  async deleteBelow(prefix: string): Promise<void> {
    await this.delete([...this.objects.keys()].filter(key => key.startsWith(prefix)))
  }
  async free(): Promise<number | null> {
    return null
  }
  async [Symbol.asyncDispose](): Promise<void> {}
}
