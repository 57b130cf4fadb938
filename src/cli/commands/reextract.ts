// kscrape reextract: the records of a job made anew from the pages it kept.

import type { ReextractFlags } from '../actions/reextract.ts'
import { type AddCommand, action } from '../command.ts'
import { whole } from '../flags/flag-values.ts'
import { commonFlags, outputFlag } from '../flags/flags.ts'

export const addReextract: AddCommand = program => {
  const command = program
    .command('reextract')
    .argument('<job>', 'the job to extract again')
    .optionsGroup('What makes the records (default: what the job has now):')
    .option('--rules <rules.yaml>', 'these extraction rules')
    .option('--scraper <id[@version]>', 'this scraper')
    .option(
      '--llm-tokens <n>',
      'for a job that asks a language model: tokens that it may spend in all, with what it has spent',
      whole(1, 1_000_000_000),
    )
  commonFlags(outputFlag(command))
    .description('extract the records of a job again from its stored raw pages, without requests')
    .addHelpText('after', examples)
    .action(action(reextract))
}

const examples = `
Examples:
  kscrape reextract crawl-4f1c --rules product.yaml -o products.csv
  kscrape reextract crawl-4f1c --scraper product@2

Records are replaced task by task; if it is stopped or killed, the same command goes on. Pages that give no records
because something went wrong keep the ones they had.`

async function reextract(jobId: string, flags: ReextractFlags): Promise<void> {
  const { reextractWith } = await import('../actions/reextract.ts')
  await reextractWith(jobId, flags)
}
