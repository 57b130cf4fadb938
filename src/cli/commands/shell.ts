// kscrape shell: inspects a page interactively.

import type { TryFlags } from '../actions/try.ts'
import { type AddCommand, action } from '../command.ts'
import { commonFlags, fetchFlags } from '../flags/flags.ts'

export const addShell: AddCommand = program => {
  const command = program
    .command('shell')
    .argument('<url>', 'the page')
    .optionsGroup('Page:')
    .option('--fresh', 'fetch the page again, even if it was stored less than an hour ago')
  commonFlags(fetchFlags(command))
    .description(
      'inspect a page interactively: page, $(selector), rules({ … }); also with commands from stdin',
    )
    .action(action(shell))
}

async function shell(url: string, flags: TryFlags): Promise<void> {
  const { targetsOf } = await import('../flags/targets.ts')
  const { openShell } = await import('../actions/shell.ts')
  const [target] = targetsOf([url], flags)
  await openShell(target!, flags)
}
