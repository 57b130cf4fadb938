// docs/cli.md is true: its examples run as they stand, and no command or flag is missing from it.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { program } from '../../src/cli/main.ts'
import { startTestSite } from '../site/index.ts'
import { Workplace } from './run-cli.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8')

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, text]) => text!)

/** Those that serve until they are stopped, or stand for any job, are not run. */
const isRun = (line: string): boolean => !line.includes('demo-site') && !/\bJOB\b/.test(line)

test('the examples of docs/cli.md run as they stand', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const here = (text: string) => text.replaceAll('127.0.0.1:8080', `${site.host}:${site.port}`)
  await writeFile(place.file('urls.txt'), `${site.url}/about\n${site.url}/jobs\n`)
  await writeFile(place.file('job.yaml'), here(blocks('yaml')[0]!))
  const lines = blocks('sh')
    .flatMap(block => block.trimEnd().split('\n'))
    .filter(isRun)
  assert.ok(lines.length >= 15)
  for (const line of lines) {
    const [name, ...args] = here(line).split(' ')
    assert.equal(name, 'kscrape')
    const { code, stderr } = await place.run(args)
    assert.equal(code, 0, `${line}\n${stderr}`)
  }
})

function* commandsOf(command: Command): Iterable<Command> {
  for (const child of command.commands) {
    yield child
    yield* commandsOf(child)
  }
}

test('docs/cli.md names every command of the program', () => {
  const names = program()
    .commands.map(command => command.name())
    .filter(name => name !== 'help')
  assert.ok(names.length > 7)
  for (const name of names) assert.match(page, new RegExp(`\\b${name}\\b`), `${name} is missing`)
})

test('every command and every flag is written about somewhere in docs/', () => {
  const folder = join(import.meta.dirname, '../../docs')
  const text = globSync('*.md', { cwd: folder })
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
  const commands = [...commandsOf(program())].filter(command => command.name() !== 'help')
  const words = commands.flatMap(command => [command.name(), ...command.options.map(option => option.long!)])
  assert.deepEqual(
    [...new Set(words)].filter(word => !text.includes(word)),
    [],
  )
})

test('every command says what it does, and none has a flag without a sentence', () => {
  for (const command of commandsOf(program())) {
    assert.ok(command.description(), command.name())
    for (const option of command.options) assert.ok(option.description, `${command.name()} ${option.flags}`)
  }
})
