// kscrape sinks: where records are sent to as well, and what was refused there.
import { type AddCommand, lazily } from '../command.ts'
import { whole } from '../flags/flag-values.ts'
import { lookFlags } from '../flags/flags.ts'

const managing = () => import('../actions/sinks.ts')

export const addSinks: AddCommand = program => {
  const sinks = program.command('sinks').description('records that an OpenSearch endpoint would not take')
  lookFlags(sinks.command('dead-letters'))
    .description('records that were refused, with the reason, oldest first')
    .option('--limit <n>', 'how many', whole(1, 100_000), 100)
    .action(lazily(async () => (await managing()).listDeadLetters))
  lookFlags(sinks.command('resend'))
    .description('send what was refused once more, as the records are now')
    .action(lazily(async () => (await managing()).resendDeadLetters))
}
