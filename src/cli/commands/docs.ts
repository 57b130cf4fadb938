// kscrape docs: shows the documents in the terminal.
import { type AddCommand, lazily } from '../command.ts'

export const addDocs: AddCommand = program => {
  program
    .command('docs')
    .argument('[topic]', 'a page, like cli, results or deploy/one-machine')
    .description('show a page of the documents, or list the pages')
    .addHelpText('after', '\nExamples:\n  kscrape docs\n  kscrape docs extraction-rules | less')
    .action(lazily(async () => (await import('../actions/docs.ts')).showDocs))
}
