// kscrape sinks: lists records that a sink rejected, and sends them again.
import { type AddCommand, lazily } from '../command.ts'
import { whole } from '../flags/flag-values.ts'
import { lookFlags } from '../flags/flags.ts'

const managing = () => import('../actions/sinks.ts')

export const addSinks: AddCommand = program => {
  const sinks = program.command('sinks').description('records that OpenSearch rejected')
  lookFlags(sinks.command('dead-letters'))
    .description('rejected records with the reason, oldest first')
    .option('--limit <n>', 'how many', whole(1, 100_000), 100)
    .action(lazily(async () => (await managing()).listDeadLetters))
  lookFlags(sinks.command('resend'))
    .description('send rejected records again, in their current form')
    .action(lazily(async () => (await managing()).resendDeadLetters))
}
