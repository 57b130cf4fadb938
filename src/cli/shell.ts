// kscrape shell: a page at hand in an interactive session.
import { type AddCommand, action } from './commands.ts'
import { commonFlags, fetchFlags } from './flags.ts'
import type { TryFlags } from './try-run.ts'

export const addShell: AddCommand = program => {
  const command = program
    .command('shell')
    .argument('<url>', 'the page')
    .optionsGroup('What is looked at:')
    .option('--fresh', 'fetch the page again, although it was kept less than an hour ago')
  commonFlags(fetchFlags(command))
    .description('look at a page by hand: page, $(selector), rules({ … }); also with commands from stdin')
    .action(action(shell))
}

async function shell(url: string, flags: TryFlags): Promise<void> {
  const { checkTargets } = await import('./targets.ts')
  const { openShell } = await import('./shell-run.ts')
  checkTargets([url])
  await openShell(url, flags)
}
