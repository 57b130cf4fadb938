// Tests output files that grow while a job runs. After any kill the same file is completed, with each record once.
import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import test, { after, before } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { MapBlobs, recordStore, someJob, someRecord, taskStore } from '../../../test/support/results-parts.ts'
import type { Output, OutputFormat } from '../../model/job.ts'
import type { StoredRecord } from '../../model/record.ts'
import type { OutputProgress } from '../../ports/store.ts'
import { JobOutputs } from './job-outputs.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-outputs-'))
})
after(() => rm(folder, { recursive: true }))

let files = 0
const newOutput = (format: OutputFormat): Output => ({ path: join(folder, `${++files}.${format}`), format })

/** A job whose store and files survive when a simulated process ends. */
class World {
  records: StoredRecord[] = []
  saved = new Map<string, OutputProgress>()
  readonly output: Output
  readonly spec: Record<string, unknown>

  constructor(output: Output, spec: Record<string, unknown> = {}) {
    this.output = output
    this.spec = { output: [output], ...spec }
  }

  add(...names: string[]): void {
    for (const name of names) this.records.push(someRecord(this.records.length + 1, { name }))
  }

  open(): Promise<JobOutputs> {
    const outputs = {
      list: async () => [...this.saved.values()],
      save: async (_: string, progress: OutputProgress) => void this.saved.set(progress.path, progress),
    }
    const store = { records: recordStore(this.records), tasks: taskStore([]), outputs }
    const parts = { store, blobs: new MapBlobs(), stdout: new Writable() }
    return JobOutputs.open(parts, someJob('job-1', this.spec))
  }

  /** Runs one simulated process. Unfinished work stays as it is. */
  async run(...steps: Array<'advance' | 'finish'>): Promise<void> {
    await using outputs = await this.open()
    for (const step of steps) await outputs[step]()
  }

  async names(): Promise<string[]> {
    const text = await readFile(this.output.path, 'utf8')
    if (this.output.format !== 'jsonl') {
      return parse(text, { columns: true }).map((row: unknown) => (row as { name: string }).name)
    }
    return text
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line).name)
  }
}

test('records are in the file soon after they are committed', async () => {
  const world = new World(newOutput('jsonl'))
  await using outputs = await world.open()
  world.add('a', 'b')
  await outputs.advance()
  assert.deepEqual(await world.names(), ['a', 'b'])

  world.add('c')
  await outputs.finish()
  assert.deepEqual(await world.names(), ['a', 'b', 'c'])
  assert.equal(world.saved.get(world.output.path)?.done, true)
})

test('an incomplete line at the end of a file is removed on resume', async () => {
  const world = new World(newOutput('jsonl'))
  world.add('a', 'b')
  await world.run('advance')
  await appendFile(world.output.path, '{"name":"c","_pa')

  world.add('c')
  await world.run('finish')
  assert.deepEqual(await world.names(), ['a', 'b', 'c'])
})

test('a deleted or truncated file is rewritten from the store', async () => {
  const world = new World(newOutput('jsonl'))
  world.add('a', 'b')
  await world.run('advance')
  await truncate(world.output.path, 5)
  await world.run('finish')
  assert.deepEqual(await world.names(), ['a', 'b'])

  await rm(world.output.path)
  world.add('c')
  await world.run('finish')
  assert.deepEqual(await world.names(), ['a', 'b', 'c'])
})

/** What can happen between two commits. Each event ends one process and starts another. */
const accidents: Record<string, (world: World) => Promise<void>> = {
  'killed at once': world => world.run(),
  'killed after a write': world => world.run('advance'),
  'killed after the end': world => world.run('finish'),
  'killed between the write and the save': async world => {
    const saved = new Map(world.saved)
    await world.run('advance')
    world.saved = saved
  },
  'killed in the middle of a write': async world => {
    await world.run()
    await appendFile(world.output.path, 'torn, "')
  },
}

test('after a kill at any moment, the file has each record once and in order', async () => {
  const format = fc.constantFrom('jsonl' as const, 'csv' as const)
  const step = fc.record({
    commits: fc.nat({ max: 4 }),
    accident: fc.constantFrom(...Object.keys(accidents)),
  })
  await fc.assert(
    fc.asyncProperty(format, fc.array(step), async (format, steps) => {
      const world = new World(newOutput(format), { extract: { fields: { name: 'h1' } } })
      for (const { commits, accident } of steps) {
        for (let commit = 0; commit < commits; commit++) world.add(`record ${world.records.length}`)
        await accidents[accident]!(world)
      }
      await world.run('finish')
      assert.deepEqual(
        await world.names(),
        world.records.map((_, index) => `record ${index}`),
      )
    }),
    { numRuns: 40 },
  )
})

test('a CSV with declared columns grows while the job runs, and is rewritten with all other columns when the job ends', async () => {
  const world = new World(newOutput('csv'), { extract: { fields: { name: 'h1' } } })
  world.add('a')
  await using outputs = await world.open()
  await outputs.advance()
  assert.deepEqual(await world.names(), ['a'])

  world.records.push(someRecord(2, { name: 'b', surprise: 'yes' }))
  world.add('c')
  await outputs.advance()
  await outputs.finish()

  const rows: Array<Record<string, string>> = parse(await readFile(world.output.path, 'utf8'), {
    columns: true,
  })
  assert.deepEqual(
    rows.map(row => [row.name, row.surprise]),
    [
      ['a', ''],
      ['b', 'yes'],
      ['c', ''],
    ],
  )
})

test('a job that is reopened after its end continues the same file', async () => {
  for (const format of ['jsonl', 'csv'] as const) {
    const world = new World(newOutput(format))
    world.add('a')
    await world.run('finish')
    world.add('b')
    await world.run('advance', 'finish')
    assert.deepEqual(await world.names(), ['a', 'b'])
  }
})

test('a job without records still writes its file, with the header', async () => {
  const world = new World(newOutput('csv'), { extract: { fields: { name: 'h1' } } })
  await world.run('finish')
  assert.match(await readFile(world.output.path, 'utf8'), /^name,_page_url,/)
})
