// Flags of other tools, with the equivalent flag of kscrape.
import type { Command } from 'commander'

/** For each foreign flag, the flag that a command must have, and the text to suggest. */
const otherNames: Record<string, Array<[flag: string, text: string]>> = {
  '--stealth': [['--browser', '--browser stealth']],
  '--headless': [['--render', '--render always']],
  '--js': [['--render', '--render always']],
  '--javascript': [['--render', '--render always']],
  '--browser-render': [['--render', '--render always']],
  '--format': [['--output', '-o FILE with the extension of the format, like out.csv']],
  '--out': [['--output', '-o']],
  '--delay': [['--rate', '--rate, like --rate 1/s']],
  '--wait': [
    ['--wait-for', '--wait-for'],
    ['--rate', '--rate'],
  ],
  '--max-depth': [['--depth', '--depth']],
  '--limit-pages': [['--max-pages', '--max-pages']],
  '--threads': [['--concurrency', '--concurrency']],
  '--workers': [['--concurrency', '--concurrency']],
  '--no-robots': [['--ignore-robots', '--ignore-robots']],
  '--ua': [['--user-agent', '--user-agent']],
  '--agent': [['--user-agent', '--user-agent']],
  '--cookie': [
    ['--header', "--header 'Cookie: …'"],
    ['--cookies', '--cookies FILE'],
  ],
  '--rules': [['--extract', '--extract']],
  '--selector': [
    ['--field', '--field NAME=SELECTOR'],
    ['--extract', '--extract with a rules file'],
  ],
  '--retry': [['--retries', '--retries']],
}

/** A hint such as ` (use --browser stealth)`; empty if the command has no equivalent flag. */
export function otherNameOf(flag: string, command: Pick<Command, 'options'>): string {
  const ways = Object.hasOwn(otherNames, flag) ? otherNames[flag]! : []
  const known = new Set(command.options.map(({ long }) => long))
  const texts = ways.filter(([name]) => known.has(name)).map(([, text]) => text)
  return texts.length > 0 ? ` (use ${texts.join(' or ')})` : ''
}

/** The command that these words name. Flags may be between them. */
export function commandNamed(root: Command, args: readonly string[]): Command {
  let command = root
  for (const arg of args) command = command.commands.find(each => each.name() === arg) ?? command
  return command
}
