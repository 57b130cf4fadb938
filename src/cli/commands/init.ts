// kscrape init: writes a commented job file.
import { type AddCommand, lazily } from '../command.ts'

export const addInit: AddCommand = program => {
  program
    .command('init')
    .argument('[file]', 'the job file', 'job.yaml')
    .description('write a job file with comments; `kscrape jobs create` runs it')
    .option('--url <url>', 'where the crawl starts', 'https://example.com/')
    .option('--force', 'replace an existing file')
    .action(lazily(async () => (await import('../actions/init.ts')).writeJobFile))
}
