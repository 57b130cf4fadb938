// kscrape completion: a script for shell completion of commands, flags and job ids.
import { Argument } from 'commander'
import { type AddCommand, lazily } from '../command.ts'
import { shells } from '../shells.ts'

export const addCompletion: AddCommand = program => {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell to print the script for').choices(shells))
    .description('print a script that completes commands, flags and job ids')
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/completion.ts')).printScript))
  program
    .command('complete', { hidden: true })
    .argument('[words...]', 'the words of the line after kscrape; the last one is being typed')
    .description('print completions of the last word, one per line')
    .allowUnknownOption()
    .action(
      lazily(async () => {
        const { printCandidates } = await import('../actions/completion.ts')
        return (words: string[]) => printCandidates(program, words)
      }),
    )
}

const notes = `
Examples:
  source <(kscrape completion bash)                                    this shell, or in ~/.bashrc
  kscrape completion zsh > "\${fpath[1]}/_kscrape"                      zsh, once
  kscrape completion fish > ~/.config/fish/completions/kscrape.fish    fish, once`
