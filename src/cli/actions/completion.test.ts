// Tests which completions a shell offers for the current word.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { program } from '../main.ts'
import { shells } from '../shells.ts'
import { candidatesFor } from './completion.ts'

const candidates = (...words: string[]) => candidatesFor(program(), words, async () => ['crawl-1', 'other-2'])

test('commands, subcommands and flags are completed by prefix', async () => {
  assert.deepEqual(await candidates('cr'), ['crawl'])
  assert.deepEqual(await candidates('jobs', 're'), ['resume', 'retry'])
  assert.deepEqual(await candidates('crawl', 'https://a.example/', '--max-'), ['--max-age', '--max-pages'])
  assert.deepEqual(await candidates('completion', ''), [...shells])
  assert.ok((await candidates('')).includes('scrape'))
  assert.ok(!(await candidates('')).includes('complete'), 'the hidden command is not offered')
})

test('job ids are completed only where a command takes a job', async () => {
  assert.deepEqual(await candidates('jobs', 'show', ''), ['crawl-1', 'other-2'])
  assert.deepEqual(await candidates('jobs', 'show', '--task', '1', 'cr'), ['crawl-1'])
  assert.deepEqual(await candidates('jobs', 'show', 'crawl-1', ''), [])
  assert.deepEqual(await candidates('run', ''), [])
})

test('values of a flag are completed if the flag has a fixed set of values; other values may be file names', async () => {
  assert.deepEqual(await candidates('crawl', '--render', ''), ['never', 'auto', 'always'])
  assert.deepEqual(await candidates('crawl', '--render', 'a'), ['auto', 'always'])
  assert.deepEqual(await candidates('jobs', 'show', '--task', ''), [])
})

test('the script for bash is valid and completes a line', () => {
  const script = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'src/cli/kscrape.ts', 'completion', 'bash'],
    {
      encoding: 'utf8',
      cwd: `${import.meta.dirname}/../../..`,
    },
  ).stdout
  const line = `kscrape() { printf '%s\\n' "$@" >&2; echo crawl; }
${script}
COMP_WORDS=(kscrape cr); COMP_CWORD=1; _kscrape; echo "\${COMPREPLY[0]}"`
  const { stdout, status, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.equal(stdout, 'crawl\n')
})
