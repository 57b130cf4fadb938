// kscrape try: what rules make of a page, field by field, redrawn while one writes them.
import { type AddCommand, action } from './commands.ts'
import { commonFlags, fetchFlags } from './flags.ts'
import type { TryFlags } from './try-run.ts'

export const addTry: AddCommand = program => {
  const command = program
    .command('try')
    .argument('<url>', 'the page')
    .optionsGroup('What is tried:')
    .option('--extract <rules.yaml>', 'these extraction rules (default: the default record)')
    .option('--watch', 'show it again whenever the rules file changes; Ctrl-C ends it')
    .option('--fresh', 'fetch the page again, although it was kept less than an hour ago')
  commonFlags(fetchFlags(command))
    .description('show what rules make of a page, and where each field came from; the page is fetched once')
    .addHelpText('after', examples)
    .action(action(tryPage))
}

const examples = `
Examples:
  kscrape try https://shop.example/item/1 --extract product.yaml
  kscrape try https://shop.example/item/1 --extract product.yaml --watch`

async function tryPage(url: string, flags: TryFlags): Promise<void> {
  const { checkTargets } = await import('./targets.ts')
  const { tryRules } = await import('./try-run.ts')
  checkTargets([url])
  await tryRules(url, flags)
}
