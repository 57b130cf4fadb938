// The program: which commands there are. Each loads what it needs when it is called, so that --help is quick.
import { Command, CommanderError } from 'commander'
import { version } from '../roles/user-agent.ts'
import { addCrawl } from './crawl.ts'
import { addDemoSite } from './demo-site.ts'
import { addDoctor } from './doctor.ts'
import { exitCodes } from './exit-codes.ts'
import { addExplain } from './explain.ts'
import { addJobs } from './jobs.ts'
import { addMap } from './map.ts'
import { addRun } from './run-list.ts'
import { addScrape } from './scrape.ts'

const commands = [addScrape, addCrawl, addRun, addMap, addJobs, addExplain, addDemoSite, addDoctor]

export async function main(args: string[]): Promise<void> {
  try {
    await program().parseAsync(withScrape(args), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
}

/** `kscrape https://example.com` is short for `kscrape scrape https://example.com`. */
const withScrape = (args: string[]): string[] =>
  args.some(arg => /^https?:\/\//i.test(arg)) && !isCommand(args[0]) ? ['scrape', ...args] : args

const isCommand = (word: string | undefined): boolean =>
  word !== undefined && !word.startsWith('-') && !/^https?:\/\//i.test(word)

function program(): Command {
  const root = new Command('kscrape')
    .description('Turns websites into clean, typed records: polite, durable, fast.')
    .version(version)
    .usage('[URL | command] [options]')
    .showHelpAfterError('(add --help for what there is)')
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', '\nData goes to stdout, talk to stderr. First record: kscrape https://example.com')
    .exitOverride()
  for (const add of commands) add(root)
  for (const command of root.commands) command.exitOverride()
  return root
}
