// Shell completion: scripts for shells, and candidates for one word.
import type { Command, Option } from 'commander'
import type { ChoiceParser } from '../flags/flag-values.ts'
import { openJobReader } from '../jobs/open-job-reader.ts'
import { print } from '../print.ts'
import type { Shell } from '../shells.ts'

const scripts: Record<Shell, string> = {
  bash: `_kscrape() {
  local IFS=$'\\n'
  COMPREPLY=($(kscrape complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _kscrape kscrape`,
  zsh: `#compdef kscrape
_kscrape() {
  local -a found
  found=("\${(@f)$(kscrape complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
if [ "$funcstack[1]" = _kscrape ]; then _kscrape; else compdef _kscrape kscrape; fi`,
  fish: `function _kscrape
  set -l line (commandline -opc) (commandline -ct)
  set -l found (kscrape complete -- $line[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c kscrape -f -a '(_kscrape)'`,
}

export async function printScript(shell: Shell): Promise<void> {
  print(scripts[shell])
}

export async function printCandidates(program: Command, words: string[]): Promise<void> {
  const found = await candidatesFor(program, words, idsOfJobs)
  if (found.length > 0) print(found.join('\n'))
}

/** Completions for the last word: subcommands, flags, values of a flag, or job ids if the command takes a job. Empty if the shell
 *  should complete file names. */
export async function candidatesFor(
  program: Command,
  words: string[],
  jobIds: () => Promise<string[]>,
): Promise<string[]> {
  const typed = words.at(-1) ?? ''
  const { command, taken, flag } = placeOf(program, words.slice(0, -1))
  const all = flag
    ? ((flag.parseArg as Partial<ChoiceParser<string>> | undefined)?.choices ?? [])
    : typed.startsWith('-')
      ? flagsOf(command)
      : await wordsFor(command, taken, jobIds)
  return all.filter(word => word.startsWith(typed))
}

interface Place {
  command: Command
  /** Number of arguments of the command before the last word. */
  taken: number
  /** The flag whose value is typed. */
  flag: Option | undefined
}

/** Finds the command to which the next word belongs, and the position of this word among its arguments. */
function placeOf(program: Command, words: readonly string[]): Place {
  let command = program
  let taken = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    const child = command.commands.find(one => one.name() === word || one.aliases().includes(word))
    const flag = flagWithValue(command, word)
    if (flag && at === words.length - 1) return { command, taken, flag }
    if (word.startsWith('-')) at += flag ? 1 : 0
    else if (child) command = child
    else taken++
  }
  return { command, taken, flag: undefined }
}

const flagWithValue = (command: Command, word: string): Option | undefined =>
  command.options.find(({ required, long, short }) => required && (long === word || short === word))

const flagsOf = (command: Command): string[] =>
  [...command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []), '--help'].sort()

async function wordsFor(command: Command, taken: number, jobIds: () => Promise<string[]>): Promise<string[]> {
  const children = command.createHelp().visibleCommands(command)
  if (children.length > 0) return children.map(child => child.name())
  const argument = command.registeredArguments[taken]
  if (argument?.argChoices) return [...argument.argChoices]
  return argument?.name() === 'job' ? jobIds() : []
}

/** Job ids for completion. Empty if the store cannot be opened, because an error would appear in the middle of the command
 *  line. */
async function idsOfJobs(): Promise<string[]> {
  try {
    await using jobReader = await openJobReader({})
    return (await jobReader.list({ limit: 50 })).map(({ job }) => job.id)
  } catch {
    return []
  }
}
