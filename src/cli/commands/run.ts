// kscrape run: runs a list of pages or rows from a file, with one task per row.
import { type AddCommand, action } from '../command.ts'
import { commonFlags, fetchFlags, type JobFlags, jobFlags, serverFlags } from '../flags/flags.ts'
import { renderFlags } from '../flags/render-flags.ts'

interface RunFlags extends JobFlags {
  urlColumn?: string
  policyColumn?: string
  scraper?: string
}

export const addRun: AddCommand = program => {
  const command = program
    .command('run')
    .argument('<file>', '.txt .csv .tsv .json .jsonl, gzipped too, .xlsx, or - for stdin')
    .optionsGroup('Input:')
    .option('--url-column <name>', 'the column that contains the URL (default: found by its name)')
    .option('--policy-column <name>', 'the column that contains the policy of each row, as JSON')
    .option('--scraper <id>', 'the scraper that turns each row into records (default: page)')
  serverFlags(commonFlags(renderFlags(fetchFlags(jobFlags(command)))))
    .description('run a list: one task for each row of a file')
    .addHelpText('after', examples)
    .action(action(runList))
}

const examples = `
Examples:
  kscrape run urls.txt -o pages.jsonl
  kscrape run products.csv --url-column link --extract product.yaml --keep-columns -o out.xlsx
  cat urls.txt | kscrape run - --rate 5/s -o out.parquet

Each record contains the columns of its row: in _input, or beside the fields with --keep-columns. Delimiters and encodings are
detected. From an .xlsx file, the first sheet is read.
Invalid rows are counted; list them with \`kscrape jobs show JOB --rejected\`.`

async function runList(file: string, flags: RunFlags): Promise<void> {
  const { specOf } = await import('../flags/flag-spec.ts')
  const { startSpec } = await import('../jobs/start-job.ts')
  const { inputFile } = await import('../jobs/input-file.ts')
  const spec = specOf(flags)
  await startSpec(flags, spec, {
    command: `run ${file}`,
    source: await inputFile(file, flags.dataDir),
    mayBeRemote: true,
    isCopy: file === '-',
  })
}
