// The output of --help: common flags, and all flags with --all.
import { type Command, Help, type Option } from 'commander'

/** A command with more flags than this shows only the common ones. */
const mostShown = 14

const common = new Set([
  '--output',
  '--extract',
  '--format',
  '--depth',
  '--max-pages',
  '--include',
  '--rate',
  '--render',
  '--wait-for',
  '--header',
  '--url-column',
  '--scraper',
  '--rows',
  '--server',
  '--json',
  '--help',
])

const isCommon = ({ long }: Option): boolean => common.has(long ?? '')

/** How many flags the short help leaves out. */
export const leftOutOf = ({ options }: Command): number =>
  options.length > mostShown ? options.filter(option => !isCommon(option)).length : 0

/** The options for commander's `configureHelp`. */
export const shortHelp = {
  visibleOptions(this: Help, command: Command): Option[] {
    const all = Help.prototype.visibleOptions.call(this, command)
    return leftOutOf(command) > 0 ? all.filter(isCommon) : all
  },
}

/** The line after the flags in the short help. */
export function moreFlags({ command }: { command: Command }): string {
  const count = leftOutOf(command)
  return count === 0 ? '' : `\n${count} more flags: \`${pathOf(command)} --help --all\` shows them.`
}

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
