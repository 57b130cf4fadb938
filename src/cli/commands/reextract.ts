// kscrape reextract: extracts the records of a job again from its stored pages.

import type { ReextractFlags } from '../actions/reextract.ts'
import { type AddCommand, action } from '../command.ts'
import { whole } from '../flags/flag-values.ts'
import { commonFlags, outputFlag } from '../flags/flags.ts'

export const addReextract: AddCommand = program => {
  const command = program
    .command('reextract')
    .argument('<job>', 'the job to extract again')
    .optionsGroup('Extraction (default: the rules of the job):')
    .option('--rules <rules.yaml>', 'use these extraction rules')
    .option('--scraper <id[@version]>', 'use this scraper')
    .option(
      '--llm-tokens <n>',
      'for a job with a language model: the new total token limit, including the tokens that the job has already spent',
      whole(1, 1_000_000_000),
    )
  commonFlags(outputFlag(command, 'no file'))
    .description('extract the records of a job again from its stored raw pages, without requests')
    .addHelpText('after', examples)
    .action(action(reextract))
}

const examples = `
Examples:
  kscrape reextract crawl-4f1c --rules product.yaml -o products.csv
  kscrape reextract crawl-4f1c --scraper product@2

Records are replaced task by task; after a stop or a kill, the same command continues. If a page gives no records
because of a failure, its old records stay.`

async function reextract(jobId: string, flags: ReextractFlags): Promise<void> {
  const { reextractWith } = await import('../actions/reextract.ts')
  await reextractWith(jobId, flags)
}
