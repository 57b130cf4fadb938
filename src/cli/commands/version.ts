// kscrape version: the versions of kscrape and of Node.
import { version } from '../../lib/user-agent.ts'
import { type AddCommand, action } from '../command.ts'
import { print, printJson } from '../print.ts'

export const addVersion: AddCommand = program => {
  program
    .command('version')
    .description('show the versions of kscrape and of Node')
    .option('--json', 'as JSON')
    .action(
      action(async ({ json }: { json?: boolean }) => {
        const versions = { kscrape: version, node: process.versions.node }
        if (json) printJson(versions)
        else print(`kscrape ${versions.kscrape} (Node ${versions.node})`)
      }),
    )
}
