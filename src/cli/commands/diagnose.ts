// kscrape diagnose: the facts about a job or a worker in one file, without secrets.
import { longestProfileSeconds } from '../../model/diagnosis.ts'
import { type AddCommand, lazily } from '../command.ts'
import { whole } from '../flags/flag-values.ts'
import { lookFlags, serverFlags } from '../flags/flags.ts'

export const addDiagnose: AddCommand = program => {
  serverFlags(
    lookFlags(
      program
        .command('diagnose')
        .argument('<name>', 'a job id; with --server also the name of a worker, or service'),
    ),
  )
    .description('collect the facts about a job or a worker in one file, without secrets')
    .option('--out <file>', 'the file (default kscrape-diagnosis-NAME.tar.gz)')
    .option('--heap', 'add a heap snapshot of the service’s process; it contains pages and secrets')
    .option('--cpu <seconds>', 'add a CPU profile of this many seconds', whole(1, longestProfileSeconds))
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/diagnose.ts')).diagnose))
}

const notes = `
Examples:
  kscrape diagnose shop-1
  kscrape diagnose shop-1 --server http://127.0.0.1:8001 --cpu 10
  kscrape diagnose http-worker-node-7-4711-1 --server https://scrape.example --heap

At a service it needs a key with the scope admin in the workspace default. For a job the file has state, counts, waits, hosts and the
last errors by reason; for a worker or the service, versions, settings, memory and the last events. Docs: docs/diagnose.md`
