// Tests what the runner reports about one test file, or a group of files, in a process: results, output, CPU time and seed.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ChildrenCpu } from './children-cpu.ts'
import { type FileRun, type HowToRun, runFile, runGroup } from './run-file.ts'
import { rerunCommand } from './summary.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'kscrape-runner-'))
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
after(() => rmSync(folder, { recursive: true }))

let files = 0
function writeTest(text: string): string {
  const place = join(folder, String(++files))
  mkdirSync(place)
  const file = join(place, 'some.test.ts')
  const imports = `import { after, before, describe, test } from 'node:test'\nimport assert from 'node:assert/strict'`
  writeFileSync(file, `${imports}\n${text}`)
  return file
}

const howToRun = (more: Partial<HowToRun> = {}): HowToRun => {
  const { signal } = new AbortController()
  return { root, seed: 7, limitMs: 60_000, flags: [], cpu: new ChildrenCpu(), signal, ...more }
}

const runText = (text: string, more: Partial<HowToRun> = {}): Promise<FileRun> =>
  runFile(writeTest(text), howToRun(more))

const runTexts = (texts: string[], more: Partial<HowToRun> = {}): Promise<FileRun[]> =>
  runGroup(texts.map(writeTest), howToRun(more))

test('every test is reported with the titles of its suites, and with its error or the reason why it was skipped', async () => {
  const { results } = await runText(`
    describe('outside', () => {
      test('good', () => {})
      test('bad', () => assert.fail('one is not two'))
      test('later', { skip: 'needs Docker' }, () => {})
    })
    test('parent', t => t.test('child', () => { throw 'a word' }))`)
  assert.deepEqual(results, [
    { name: 'outside > good', state: 'passed', about: '' },
    { name: 'outside > bad', state: 'failed', about: 'one is not two' },
    { name: 'outside > later', state: 'skipped', about: 'needs Docker' },
    { name: 'parent > child', state: 'failed', about: 'a word' },
  ])
})

test('a file that cannot be loaded, exits early or hangs is reported as failed', async () => {
  const broken = await runText(`import './missing.ts'`)
  assert.deepEqual(
    broken.results.map(({ state, about }) => [state, about]),
    [['failed', 'exit code 1']],
  )
  assert.match(broken.output, /ERR_MODULE_NOT_FOUND/)
  const exits = await runText(`test('good', () => {}); process.on('exit', () => { process.exitCode = 3 })`)
  assert.deepEqual(exits.results.at(-1), { name: 'the whole file', state: 'failed', about: 'exit code 3' })
  const hangs = await runText(`test('good', () => {}); test('endless', () => { for (;;); })`, {
    limitMs: 1_500,
  })
  assert.deepEqual(hangs.results.at(-1), {
    ...{ name: 'the whole file', state: 'failed' },
    about: 'ran longer than 1.5 s and was killed',
  })
})

test('the CPU time of a run includes the test file and its child processes', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async () => {
  const spin = `const until = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < until) for (let i = 0; i < 1e6; i += 1);`
  const { cpuSeconds } = await runText(`
    import { execFileSync } from 'node:child_process'
    test('busy', () => { ${spin} execFileSync(process.execPath, ['-e', ${JSON.stringify(spin)}]) })`)
  assert.ok(cpuSeconds! >= 0.59, `${cpuSeconds} s`)
})

test('property tests use the seed of the run', async () => {
  const text = `
    import fc from 'fast-check'
    test('sample', () => {
      const seen = []
      fc.assert(fc.property(fc.integer(), n => { seen.push(n) }), { numRuns: 5 })
      console.log('seen', seen.join(' '), process.env.TEST_SEED)
    })`
  const seenWith = async (seed: number) => (await runText(text, { seed })).output.match(/seen .*/)![0]
  const [first, again, other] = [await seenWith(7), await seenWith(7), await seenWith(8)]
  assert.match(first, / 7$/)
  assert.equal(first, again)
  assert.notEqual(first.slice(0, -2), other.slice(0, -2))
})

test('the rerun command chooses exactly the failed test', async () => {
  const text = `
    describe("a suite (one)", () => {
      test("it's a test, is it? [yes]", () => assert.fail('no'))
      test("it's a test, is it? [yes] and more", () => assert.fail('no'))
    })`
  const { file, results } = await runText(text)
  const pattern = /--test-name-pattern='(.*)'$/.exec(rerunCommand(file, results[0]!.name, 7))![1]!
  const again = await runText(text, { flags: [`--test-name-pattern=${pattern.replaceAll("'\\''", "'")}`] })
  assert.deepEqual(again.results, [results[0]])
})

test('tests do not see the environment variables SCRAPER_* of the developer', async () => {
  process.env.SCRAPER_RUNNER_TEST = 'mine'
  try {
    const { output } = await runText(`test('env', () => console.log('env', process.env.SCRAPER_RUNNER_TEST))`)
    assert.match(output, /env undefined/)
  } finally {
    delete process.env.SCRAPER_RUNNER_TEST
  }
})

test('a group reports the results of each file separately, and each file has its own hooks', async () => {
  const hooked = (name: string) => `
    let state = 'new'
    before(async () => { state = await open() })
    after(() => console.log('${name} closed'))
    test('${name} open', () => { assert.equal(state, 'open'); console.log('${name} ran') })
    const open = async () => 'open'`
  const [first, bad, last] = await runTexts([
    hooked('first'),
    `describe('outside', () => test('bad', () => { console.log('bad ran'); assert.fail('one is not two') }))`,
    hooked('last'),
  ])
  assert.deepEqual(first!.results, [{ name: 'first open', state: 'passed', about: '' }])
  assert.deepEqual(bad!.results, [{ name: 'outside > bad', state: 'failed', about: 'one is not two' }])
  assert.deepEqual(last!.results, [{ name: 'last open', state: 'passed', about: '' }])
  assert.deepEqual(bad!.output.match(/\w+ (ran|closed)/g), [
    ...['first ran', 'first closed', 'bad ran', 'last ran', 'last closed'],
  ])
  assert.ok([first, bad, last].every(run => run!.seconds > 0 && run!.cpuSeconds !== 0))
})

test('in a group, a file that cannot be loaded does not stop the files after it', async () => {
  const runs = await runTexts([`import './missing.ts'`, `test('good', () => {})`])
  assert.match(runs[0]!.results[0]!.about, /Cannot find module/)
  assert.deepEqual(
    runs.map(({ results }) => results.map(({ name, state }) => `${name} ${state}`)),
    [['the whole file failed'], ['good passed']],
  )
})

test('if the process of a group dies, all its files count as failed, because their results are lost', async () => {
  const runs = await runTexts([`test('bad', () => assert.fail())`, `test('dies', () => process.exit(3))`])
  assert.deepEqual(
    runs.map(({ results }) => results.at(-1)),
    [0, 1].map(() => ({ name: 'the whole file', state: 'failed', about: 'exit code 3' })),
  )
})

test('if no file explains the exit code of a group, all its files count as failed', async () => {
  const exits = `test('good', () => {}); process.on('exit', () => { process.exitCode = 3 })`
  const runs = await runTexts([`test('good', () => {})`, exits])
  assert.deepEqual(
    runs.map(({ results }) => results.at(-1)),
    [0, 1].map(() => ({ name: 'the whole file', state: 'failed', about: 'exit code 3' })),
  )
})
