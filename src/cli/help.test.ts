// Tests the short help, which fits on a screen, and the full help with --all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leftOutOf } from './help.ts'
import { program } from './main.ts'

const helpOf = (all: boolean, name: string) =>
  program({ all })
    .commands.find(command => command.name() === name)!
    .helpInformation()

test('the help of a command with many flags shows the common flags, and with --all every flag', () => {
  const crawl = program().commands.find(command => command.name() === 'crawl')!
  const flags = crawl.options.map(({ long }) => long!)
  const [short, whole] = [helpOf(false, 'crawl'), helpOf(true, 'crawl')]
  const shown = flags.filter(flag => new RegExp(`${flag}[ ,\\n]`).test(short))
  assert.ok(shown.length <= 12, shown.join(' '))
  assert.equal(flags.length - shown.length, leftOutOf(crawl))
  for (const flag of flags) assert.ok(whole.includes(flag), flag)
})

test('the help of a command shows the defaults that apply to this command', () => {
  const defaultOf = (name: string, flag: string) =>
    program()
      .commands.find(command => command.name() === name)!
      .options.find(({ long }) => long === flag)!.description
  assert.match(defaultOf('crawl', '--isolation'), /default session/)
  assert.match(defaultOf('scrape', '--isolation'), /default task/)
  assert.match(defaultOf('replay', '--isolation'), /default task; with --session: session/)
  assert.match(defaultOf('replay', '--render'), /default always/)
  assert.match(defaultOf('map', '--depth'), /default: 1\)/)
  assert.match(defaultOf('crawl', '--depth'), /default: no limit/)
  assert.match(defaultOf('reextract', '--output'), /default: no file/)
})

test('the help of a command with few flags shows all its flags', () => {
  assert.equal(helpOf(false, 'gc'), helpOf(true, 'gc'))
})

test('the list of commands is grouped by purpose', () => {
  const text = program().helpInformation()
  const groups = text.match(/^[A-Z].*:$/gm)
  assert.deepEqual(groups, [
    'Options:',
    'General:',
    'Get data:',
    'Jobs and records:',
    'Build scrapers:',
    'Run a service:',
    'Operate:',
  ])
})
