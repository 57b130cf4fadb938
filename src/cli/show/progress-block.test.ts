// Tests the progress block on a small screen: it is redrawn in place, wrapped to the width, and removed at the end.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Progress } from '../../roles/engine.ts'
import { talkOn } from '../talk.ts'
import { type BlockOptions, ProgressBlock } from './progress-block.ts'

/** A fake terminal with the features that the progress block uses: wrapping, carriage return, cursor up, and clearing below the cursor. */
class Screen {
  lines = ['']
  row = 0
  column = 0
  isTTY = true
  columns: number

  constructor(columns: number) {
    this.columns = columns
  }

  hasColors(): boolean {
    return false
  }

  write(text: string): boolean {
    for (const [part, up] of text.matchAll(/\x1b\[(\d+)A|\x1b\[0J|./gs)) this.#take(part, up)
    return true
  }

  #take(part: string, up: string | undefined): void {
    if (up) this.row = Math.max(0, this.row - Number(up))
    else if (part === '\x1b[0J')
      this.lines = [...this.lines.slice(0, this.row), this.lines[this.row]!.slice(0, this.column)]
    else if (part === '\r') this.column = 0
    else if (part === '\n') this.#next()
    else this.#put(part)
  }

  #next(): void {
    this.column = 0
    this.row += 1
    this.lines[this.row] ??= ''
  }

  #put(character: string): void {
    if (this.column === this.columns) this.#next()
    const line = this.lines[this.row]!.padEnd(this.column)
    this.lines[this.row] = line.slice(0, this.column) + character + line.slice(this.column + 1)
    this.column += 1
  }

  get text(): string {
    return this.lines.join('\n').trimEnd()
  }
}

function progressOf(done: number, others: Partial<Progress> = {}): Progress {
  const byState = {
    pending: 3,
    queued: 0,
    in_progress: 1,
    succeeded: done,
    failed: 0,
    skipped: 0,
    cancelled: 0,
  }
  const counts = {
    tasks: done + 4,
    records: done,
    pages: done,
    bytes: 0,
    byState,
    byReason: {},
    exactlyParsed: 0,
    rendered: 0,
    browserMs: 0,
    llmTokens: 0,
    linksRefused: {},
    warnings: {},
  }
  const job = { id: 'shop', state: 'running', reason: null } as Progress['job']
  const waiting: Progress['waiting'] = [
    { reason: 'rate', hosts: 1, tasks: 3, nextAt: null, exampleHost: 'shop.example' },
  ]
  const retries = { tasks: 0, nextAt: null }
  return { job, counts, inFlight: 1, hosts: 1, waiting, retries, pace: null, ...others }
}

function open(t: TestContext, screen: Screen, read: () => Progress, options?: BlockOptions): ProgressBlock {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: 1_000_000 })
  const stream = screen as unknown as NodeJS.WriteStream
  return new ProgressBlock(talkOn(stream, {}), stream, async () => read(), options)
}

async function pass(t: TestContext, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 200) {
    t.mock.timers.tick(200)
    await new Promise(resolve => setImmediate(resolve))
  }
}

test('the progress block is redrawn in place, and earlier output is still visible after the block ends', async t => {
  const screen = new Screen(100)
  screen.write('$ kscrape crawl\n')
  let done = 0
  const block = open(t, screen, () => progressOf(done++))
  await pass(t, 3_000)
  assert.equal(screen.text.split('\n').length, 3)
  assert.match(
    screen.text,
    /^\$ kscrape crawl\nshop · done \d+ \/ found \d+ · \d+ records · 5\.0 pages\/s · 1 host · 1 in flight\nwaiting: 3 for the rate of shop\.example$/,
  )
  block.stop()
  assert.equal(screen.text, '$ kscrape crawl')
})

test('on a narrow screen the progress block uses more lines, and no line wraps', async t => {
  const screen = new Screen(30)
  const block = open(t, screen, () => progressOf(7))
  await pass(t, 1_000)
  assert.ok(
    screen.lines.every(line => line.length < 30),
    screen.text,
  )
  assert.match(screen.text, /shop · done 7 \/ found 11\n/)
  block.stop()
  assert.equal(screen.text, '')
})

test('a message printed during the run appears above the progress block, and an echoed ^C does not damage the block', async t => {
  const screen = new Screen(80)
  const block = open(t, screen, () => progressOf(7))
  await pass(t, 400)
  screen.write('^C')
  block.note('stopping')
  await pass(t, 400)
  assert.match(screen.text, /^stopping\nshop · done 7/)
  block.stop()
  assert.equal(screen.text, 'stopping')
})

test('failed tasks that wait for a retry are shown, with the latest reason', async t => {
  const screen = new Screen(200)
  const retries = { tasks: 2, nextAt: 1_000_000 + 9_000 }
  const block = open(t, screen, () => progressOf(7, { waiting: [], retries }))
  block.trouble = 'shop.example answered 503'
  await pass(t, 200)
  assert.match(screen.text, /\nwaiting: 2 to retry, 9s more · shop\.example answered 503$/)
  block.stop()
})

test('if progress cannot be read for a while, the command continues, and shows progress again later', async t => {
  const screen = new Screen(200)
  let failures = 2
  const block = open(t, screen, () => {
    if (failures-- > 0) throw new Error('database is locked')
    return progressOf(7)
  })
  await pass(t, 400)
  assert.equal(screen.text, '')
  await pass(t, 200)
  assert.match(screen.text, /^shop · done 7/)
  block.stop()
})

test('if records are printed to the same screen, nothing is redrawn, and a progress line is printed every ten seconds', async t => {
  const screen = new Screen(200)
  const block = open(t, screen, () => progressOf(7), { sharesScreen: true, afterMs: 0 })
  await pass(t, 9_800)
  assert.equal(screen.text, '')
  await pass(t, 10_400)
  assert.equal(screen.text.split('\n').length, 2)
  block.stop()
  assert.equal(screen.text.split('\n').length, 2)
})

test('long work is announced once, with the reason, even without a terminal', async t => {
  const screen = new Screen(200)
  screen.isTTY = false
  const pace: Progress['pace'] = {
    ...{ perSecond: 1, host: 'shop.example', pages: 7_200, leftMs: 7_200_000 },
    reason: 'default',
  }
  const stream = screen as unknown as NodeJS.WriteStream
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout', 'Date'], now: 1_000_000 })
  const block = new ProgressBlock(talkOn(stream, {}), stream, async () => progressOf(0, { pace }))
  await pass(t, 2_000)
  const said = '7200 pages of shop.example take at least 2h: 1/s, the polite default; --rate changes it'
  assert.equal(screen.text, said)
  await pass(t, 20_000)
  assert.equal(screen.text.split(said).length, 2)
  block.stop()
})
