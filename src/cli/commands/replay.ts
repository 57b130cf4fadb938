// kscrape replay: runs a recording of Chrome's Recorder, once or for each row of a file.
import { type AddCommand, lazily } from '../command.ts'
import { commonFlags, fetchFlags, jobFlags } from '../flags/flags.ts'
import { recordingDefaults, renderFlags } from '../flags/render-flags.ts'

export const addReplay: AddCommand = program => {
  const command = program
    .command('replay')
    .argument('<recording.json>', 'a file that the Recorder of Chrome’s developer tools exported')
    .optionsGroup('Replay:')
    .option(
      '--rows <file>',
      'run the recording once for each row of this file (.csv .tsv .json .jsonl, also gzipped, or .xlsx); the columns set the parameters of the recording',
    )
    .option('--params', 'print the names of the recording’s parameters and exit')
  commonFlags(renderFlags(fetchFlags(jobFlags(command)), recordingDefaults))
    .description('run a recording of a browser, with the recorded values or with other values')
    .addHelpText('after', examples)
    .action(lazily(async () => (await import('../actions/replay.ts')).replay))
}

const examples = `
Examples:
  kscrape replay search.json -o found.jsonl
  kscrape replay search.json --params
  kscrape replay search.json --rows words.csv -o found.csv

Every typed value is a parameter. Its name comes from the label of the field ("First name" is first_name), else from the
name or id. A column of that name replaces the value. Other columns only appear in the records (_input, or beside the fields with --keep-columns).
Write passwords as {{secret.NAME}} in the file and set SCRAPER_SECRET_NAME. Additional steps, such as extract and
paginate, go into the recording as customStep: docs/actions.md.`
