// Tests completion in real shells: zsh and fish load the scripts that the program prints.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { Workplace } from '../run-cli.ts'

const program = join(import.meta.dirname, '../../../src/cli/kscrape.ts')
const shellWaitMs = 300_000

let site: TestSite
let place: Workplace
let env: NodeJS.ProcessEnv

before(async () => {
  site = await startTestSite()
  place = await Workplace.open()
  site.serve('/page', '<title>Page</title><h1>A page</h1><p>with a few words on it</p>')
  const crawl = ['crawl', `${site.url}/page`, '--depth', '0', '--allow-private', `${site.host}:${site.port}`]
  for (const job of ['shop-one', 'shop-two']) {
    const { code, stderr } = await place.run([...crawl, '--job', job, '-o', `${job}.jsonl`])
    assert.equal(code, 0, stderr)
  }
  await writeFile(place.file('cars.csv'), 'url\n')
  await mkdir(place.file('bin'))
  const script = `#!/bin/sh\nexec ${process.execPath} --disable-warning=ExperimentalWarning ${program} "$@"\n`
  await writeFile(place.file('bin/kscrape'), script, { mode: 0o755 })
  const { SCRAPER_DATA_DIR: _, ...rest } = process.env
  env = { ...rest, PATH: `${place.file('bin')}:${process.env.PATH}`, HOME: place.path, TERM: 'dumb' }
})
after(async () => {
  await place?.[Symbol.asyncDispose]()
  await site?.close()
})

function inShell(shell: string, args: string[]): string {
  const { stdout, stderr, status } = spawnSync(shell, args, {
    ...{ env, cwd: place.path, encoding: 'utf8', timeout: shellWaitMs },
  })
  assert.equal(status, 0, `${stdout}${stderr}`)
  return stdout
}

const missing = (shell: string): string | false =>
  spawnSync(shell, ['--version']).status === 0 ? false : `${shell} is not installed: apt-get install ${shell}`

describe('fish', { skip: missing('fish') }, () => {
  const completions = (line: string): string[] =>
    inShell('fish', ['-c', `kscrape completion fish | source; complete -C '${line}'`])
      .split('\n')
      .filter(Boolean)

  test('fish completes commands, flags, values and job ids', () => {
    assert.deepEqual(completions('kscrape jo'), ['jobs'])
    assert.deepEqual(completions('kscrape crawl --max-'), ['--max-age', '--max-pages'])
    assert.deepEqual(completions('kscrape crawl --render a').sort(), ['always', 'auto'])
    assert.deepEqual(completions('kscrape jobs show ').sort(), ['shop-one', 'shop-two'])
  })

  test('fish completes file names where a command takes a file, even if a command begins with the same letters', () => {
    assert.deepEqual(completions('kscrape run c'), ['cars.csv'])
    assert.ok(completions('kscrape run ').includes('cars.csv'))
    assert.deepEqual(completions('kscrape crawl -o c'), ['cars.csv'])
  })
})

describe('zsh', { skip: missing('zsh') }, () => {
  /** Types each line and a tab in an interactive zsh, and waits until the terminal shows the pattern. */
  function shows(load: string, lines: Array<[line: string, pattern: string]>): void {
    const typed = lines.map(
      ([line, pattern]) =>
        `zpty -w -n z ${quoted(line)}$'\\t'; zpty -r z out ${quoted(pattern)} || exit 3; zpty -w -n z $'\\x15'`,
    )
    const script = [
      'zmodload zsh/zpty',
      'zpty z "zsh -f -i"',
      `zpty -w z ${quoted(`unsetopt beep; autoload -Uz compinit; ${load}; bindkey "^I" complete-word; echo RE''ADY`)}`,
      "zpty -r z out '*READY*'",
      ...typed,
      'zpty -d z',
    ]
    inShell('zsh', ['-f', '-c', script.join('\n')])
  }
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
  const lines: Array<[string, string]> = [
    ['kscrape cra', '*kscrape crawl *'],
    ['kscrape jobs re', '*resume*retry*'],
    ['kscrape jobs show shop-t', '*shop-two*'],
    ['kscrape crawl --max-p', '*--max-pages*'],
    ['kscrape run c', '*cars.csv*'],
  ]

  test('zsh completes commands, flags, job ids and file names if the script is sourced', () => {
    shows('compinit -u -D; source <(kscrape completion zsh)', lines)
  })

  test('zsh completes the same words if the script is in the function path instead', () => {
    inShell('zsh', ['-f', '-c', 'mkdir -p functions && kscrape completion zsh > functions/_kscrape'])
    shows('fpath=($HOME/functions $fpath); compinit -u -D', lines)
  })
})
