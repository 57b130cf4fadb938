// kscrape try: shows what rules extract from a page, field by field, again after every change of the rules.

import type { TryFlags } from '../actions/try.ts'
import { type AddCommand, action } from '../command.ts'
import { oneOf, whole } from '../flags/flag-values.ts'
import { commonFlags, fetchFlags } from '../flags/flags.ts'

export const addTry: AddCommand = program => {
  const command = program
    .command('try')
    .argument('<url>', 'the page')
    .optionsGroup('Rules:')
    .option('--extract <rules.yaml>', 'use these extraction rules (default: the default record)')
    .option('--watch', 'repeat whenever the rules file changes; stop with Ctrl-C')
    .option('--why', 'explain the page kind, the chosen main content and each part that was left out')
    .option(
      '--llm <use>',
      'for required and wanted fields that the rules do not find: off, or fallback to ask a language model (SCRAPER_LLM_MODEL) for the value (default off)',
      oneOf(['off', 'fallback']),
    )
    .option('--llm-tokens <n>', 'tokens that this command may spend on the model', whole(1, 1_000_000_000))
    .option('--fresh', 'fetch the page again, even if it was stored less than an hour ago')
  commonFlags(fetchFlags(command))
    .description('show the result of rules on a page and the source of each field; fetches the page once')
    .addHelpText('after', examples)
    .action(action(tryPage))
}

const examples = `
Examples:
  kscrape try https://shop.example/item/1 --extract product.yaml
  kscrape try https://shop.example/item/1 --extract product.yaml --watch
  kscrape try https://news.example/story --why`

async function tryPage(url: string, flags: TryFlags): Promise<void> {
  const { targetsOf } = await import('../flags/targets.ts')
  const { tryRules } = await import('../actions/try.ts')
  const [target] = targetsOf([url], flags)
  await tryRules(target!, flags)
}
