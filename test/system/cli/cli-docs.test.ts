// Tests that docs/cli.md is complete: no command or flag is missing. documents-program.nightly.test.ts runs its examples.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { program } from '../../../src/cli/main.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/cli.md'), 'utf8')

function* commandsOf(command: Command): Iterable<Command> {
  for (const child of command.createHelp().visibleCommands(command)) {
    yield child
    yield* commandsOf(child)
  }
}

test('docs/cli.md names every command of the program', () => {
  const root = program()
  const names = root
    .createHelp()
    .visibleCommands(root)
    .map(command => command.name())
    .filter(name => name !== 'help')
  assert.ok(names.length > 7)
  for (const name of names) assert.match(page, new RegExp(`\\b${name}\\b`), `${name} is missing`)
})

test('every command and every flag is documented somewhere in docs/', () => {
  const folder = join(import.meta.dirname, '../../../docs')
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

test('every command and every flag has a description', () => {
  for (const command of commandsOf(program())) {
    assert.ok(command.description(), command.name())
    for (const option of command.options) assert.ok(option.description, `${command.name()} ${option.flags}`)
  }
})
