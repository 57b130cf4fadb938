// The program and its commands. Each command loads its code when it is called, so that --help is fast.
import { Command, CommanderError, Option } from 'commander'
import { version } from '../lib/user-agent.ts'
import type { AddCommand } from './command.ts'
import { addArchive } from './commands/archive.ts'
import { addBackup, addRestore } from './commands/backup.ts'
import { addCompletion } from './commands/completion.ts'
import { addCrawl } from './commands/crawl.ts'
import { addDemoSite } from './commands/demo-site.ts'
import { addDiagnose } from './commands/diagnose.ts'
import { addDoNotCrawl } from './commands/do-not-crawl.ts'
import { addDocs } from './commands/docs.ts'
import { addDoctor } from './commands/doctor.ts'
import { addErase } from './commands/erase.ts'
import { addExplain } from './commands/explain.ts'
import { addGc } from './commands/gc.ts'
import { addHosts } from './commands/hosts.ts'
import { addInit } from './commands/init.ts'
import { addJobs } from './commands/jobs.ts'
import { addKeys } from './commands/keys.ts'
import { addLogin, addSessions } from './commands/login.ts'
import { addMap } from './commands/map.ts'
import { addMcp } from './commands/mcp.ts'
import { addPlan } from './commands/plan.ts'
import { addProxies } from './commands/proxies.ts'
import { addQuery } from './commands/query.ts'
import { addReextract } from './commands/reextract.ts'
import { addReplay } from './commands/replay.ts'
import { addRun } from './commands/run.ts'
import { addSchedules } from './commands/schedules.ts'
import { addScrape } from './commands/scrape.ts'
import { addScrapers } from './commands/scrapers.ts'
import { addSearch } from './commands/search.ts'
import { addServe } from './commands/serve.ts'
import { addShell } from './commands/shell.ts'
import { addSinks } from './commands/sinks.ts'
import { addMigrate, addStart } from './commands/start.ts'
import { addTry } from './commands/try.ts'
import { addUploads } from './commands/uploads.ts'
import { addVersion } from './commands/version.ts'
import { addViews } from './commands/views.ts'
import { addWatch } from './commands/watch.ts'
import { exitCodes } from './exit-codes.ts'
import { endWith } from './fail.ts'
import { commandNamed, otherNameOf } from './flags/other-names.ts'
import { looksLikeHost } from './flags/targets.ts'
import { moreFlags, shortHelp } from './help.ts'
import { write } from './print.ts'
import { withOwnName } from './seed-names.ts'

/** The commands by purpose, in the order of --help. */
const commands: Record<string, AddCommand[]> = {
  'Get data:': [addScrape, addCrawl, addRun, addReplay, addMap, addWatch, addPlan, addInit],
  'Jobs and records:': [addJobs, addExplain, addReextract, addSearch, addQuery, addViews, addArchive],
  'Build scrapers:': [addTry, addShell, addScrapers, addLogin, addSessions, addDemoSite],
  'Run a service:': [
    addServe,
    addStart,
    addMigrate,
    addMcp,
    addSchedules,
    addKeys,
    addUploads,
    addHosts,
    addDoNotCrawl,
    addProxies,
    addSinks,
  ],
  'Operate:': [
    addDocs,
    addDoctor,
    addDiagnose,
    addBackup,
    addRestore,
    addGc,
    addErase,
    addCompletion,
    addVersion,
  ],
}

export async function main(args: string[]): Promise<void> {
  const json = args.includes('--json')
  const root = program({ args, json, all: beforeDashes(args).includes('--all') })
  const trust = beforeDashes(args).includes('--trust')
  root.hook('preAction', (_root, command) => trustFor(command, trust, json))
  const rest = args.filter((arg, at) => arg !== '--trust' || at >= beforeDashes(args).length)
  try {
    await root.parseAsync(withScrape(withOwnName(rest), root), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
}

/** The arguments before `--`. Arguments after it are not flags. */
const beforeDashes = (args: string[]): string[] =>
  args.includes('--') ? args.slice(0, args.indexOf('--')) : args

/** Commands that load nothing from the current folder. */
const withoutFolder = [
  ...['demo-site', 'docs', 'scrapers new', 'version', 'completion', 'complete', 'init'],
  ...['archive check', 'archive show'],
]
/** Commands that never use scraper files, or only if a flag names a scraper. All other commands may use them. */
const withoutScrapers =
  /^(scrape|crawl|map|keys|hosts|do-not-crawl|proxies|search|sinks|query|uploads|login|sessions|backup|restore|gc|erase|diagnose|migrate|explain|jobs (list|show|export|records|artifacts|delete))\b/

async function trustFor(command: Command, flag: boolean, json: boolean): Promise<void> {
  const name = namesOf(command).join(' ')
  if (withoutFolder.includes(name)) return
  const withScrapers = command.opts().scraper !== undefined || !withoutScrapers.test(name)
  const { trustFolder } = await import('./trust-folder.ts')
  try {
    await trustFolder({ folder: process.cwd(), flag, withScrapers })
  } catch (error) {
    endWith(error, json)
    throw new CommanderError(exitCodes.usage, 'kscrape.untrusted', '')
  }
}

/** The names of a command and its parents, without the program's own name. */
const namesOf = (command: Command): string[] =>
  command.parent === null ? [] : [...namesOf(command.parent), command.name()]

/** Inserts `scrape`: `kscrape https://example.com` means `kscrape scrape https://example.com`, also with flags before the URL. */
function withScrape(args: string[], root: Command): string[] {
  const [first] = args
  const isCommand = first === 'help' || root.commands.some(command => command.name() === first)
  if (first === undefined || isCommand) return args
  const means = first.startsWith('-') ? args.some(isUrl) : isUrl(first) || looksLikeHost(first)
  return means ? ['scrape', ...args] : args
}

const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)

/** Builds all commands with their flags. Settings of the root apply to each of them. */
export function program({
  args = [],
  json = false,
  all = false,
}: {
  args?: string[]
  json?: boolean
  all?: boolean
} = {}): Command {
  const root = new Command('kscrape')
    .description('Turns websites into clean, typed records: polite, durable, fast.')
    .version(version, '-V, --version', 'show the version')
    .addHelpOption(new Option('-h, --help', 'show this help').helpGroup('General:'))
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .helpOption(false)
        .description('show the help of a command')
        .helpGroup('Operate:'),
    )
    .usage('[URL | command] [options]')
    .showHelpAfterError(json ? false : '(add --help for a list)')
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: write,
      outputError(text, toStderr) {
        const command = commandNamed(root, withScrape(withOwnName(args), root))
        toStderr(json ? jsonError(text, command) : plainError(text, command))
      },
    })
    .option('--trust', 'trust this folder: load its config, scrapers and .env, now and later')
    .addHelpText(
      'after',
      '\nData goes to stdout, messages to stderr. First record: kscrape https://example.com',
    )
    .exitOverride()
  if (!all) root.configureHelp(shortHelp).addHelpText('afterAll', moreFlags)
  for (const [group, members] of Object.entries(commands)) {
    root.commandsGroup(group)
    for (const add of members) add(root)
  }
  return root
}

/** Rewrites commander's message: first the flag, then the problem. */
const plainError = (text: string, command: Command): string =>
  `kscrape: ${text
    .replace(/^error: /, '')
    .replace(flagError, '$1: ')
    .replace(
      unknownFlag,
      (_text, flag: string, guess = '') => `unknown option '${flag}'${otherNameOf(flag, command) || guess}`,
    )}`

/** Matches commander's message about an unknown flag. It may end with commander's own suggestion, which only finds similar
 *  names. */
const unknownFlag = /^unknown option '(--[\w-]+)[^']*'(\n\(Did you mean [^\n]*\))?/

const flagError = /^option '(?:-\w, )?(--[\w-]+)[^']*' argument '.*?' is invalid\. /s

function jsonError(text: string, command: Command): string {
  const message = plainError(text, command).replace('kscrape: ', '').trim()
  return `${JSON.stringify({ level: 'error', code: 'input.invalid', message })}\n`
}
