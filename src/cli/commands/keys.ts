// kscrape keys: API keys of the service.
import type { Command } from 'commander'
import { type AddCommand, lazily } from '../command.ts'
import { gathered, whole } from '../flags/flag-values.ts'
import { lookFlags, serverFlags, steerFlags } from '../flags/flags.ts'

const doing = () => import('../actions/keys.ts')

export const addKeys: AddCommand = program => {
  const keys = program.command('keys').description('create, list and revoke API keys')
  addCreate(keys)
  serverFlags(lookFlags(keys.command('list')))
    .description('list keys by their first characters')
    .action(lazily(async () => (await doing()).listAll))
  serverFlags(steerFlags(keys.command('revoke').argument('<key-id>')))
    .description('revoke a key; a running service notices within seconds')
    .action(lazily(async () => (await doing()).revoke))
  lookFlags(keys.command('rotate-seal'))
    .description('create a new seal key and seal headers, proxies and sessions with it')
    .action(lazily(async () => (await doing()).rotate))
}

function addCreate(keys: Command): void {
  serverFlags(lookFlags(keys.command('create')))
    .description('create a key and print it once')
    .option('--name <name>', 'a name that says what the key is for', 'unnamed')
    .option(
      '--workspace <id>',
      'workspace of the key; the key can see only jobs of this workspace',
      'default',
    )
    .option(
      '--acts-for <id>',
      'another workspace that the key may act for, or * for all (repeatable)',
      gathered,
    )
    .option(
      '--scope <scope>',
      'scope of the key: read, submit, admin, or a consent for jobs of the key, like stealth (repeatable; default read and submit)',
      gathered,
    )
    .option('--requests-per-minute <n>', 'maximum number of requests per minute', whole(1, 1_000_000))
    .option('--concurrent-jobs <n>', 'maximum number of unfinished jobs', whole(1, 1_000_000))
    .option('--queue-depth <n>', 'maximum number of unfinished tasks', whole(1, 1_000_000_000))
    .action(lazily(async () => (await doing()).create))
}
