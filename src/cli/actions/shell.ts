// The action of kscrape shell: a Node REPL with variables for the page.
import { createInterface } from 'node:readline'
import { type REPLServer, start } from 'node:repl'
import { PassThrough } from 'node:stream'
import { inspect } from 'node:util'
import { asFailure } from '../../model/failures.ts'
import { type PageTrial, rulesFrom } from '../../roles/local/page-trial.ts'
import { talkOn } from '../talk.ts'
import { openTrial, type TryFlags } from './try.ts'

const help = `page             the page as a scraper sees it: page.text('h1'), page.attr('a', 'href'), page.table('table'),
                 page.jsonld('Product.name'), page.markdown(), page.links(), page.source, …
$('h2')          the texts of all matches
$('a', 'href')   an attribute of all matches
await rules({ title: 'h1', price: { css: '.price', as: 'money' } })
                 what these fields give, and where each came from
help()           this text
.exit            leaves`

export async function openShell(url: string, flags: TryFlags): Promise<void> {
  const talk = talkOn(process.stderr, flags)
  await using trial = await openTrial(url, flags)
  const { page, wasKept } = trial
  talk.say(`${page.finalUrl} (HTTP ${page.status}, ${wasKept ? 'from the store' : 'fetched'})`)
  if (process.stdin.isTTY) talk.say(help)
  await (process.stdin.isTTY ? talkWith(trial) : readFrom(process.stdin, trial))
}

function talkWith(trial: PageTrial): Promise<void> {
  const shell = start({ prompt: 'kscrape> ', ignoreUndefined: true, writer: writer(true) })
  Object.assign(shell.context, toolsFor(trial))
  return exitOf(shell)
}

/** Runs lines from a pipe one at a time, because a line may be asynchronous and the next one may use its result. */
async function readFrom(stdin: NodeJS.ReadableStream, trial: PageTrial): Promise<void> {
  const input = new PassThrough()
  const shell = start({
    input,
    output: process.stdout,
    prompt: '',
    terminal: false,
    ignoreUndefined: true,
    writer: writer(false),
  })
  Object.assign(shell.context, toolsFor(trial))
  const exit = exitOf(shell)
  let answered = Promise.withResolvers<void>()
  // The REPL calls this when a line has been evaluated, with or without an error.
  shell.displayPrompt = () => answered.resolve()
  for await (const line of createInterface({ input: stdin })) {
    answered = Promise.withResolvers<void>()
    input.write(`${line}\n`)
    await Promise.race([answered.promise, exit])
  }
  input.end()
  await exit
}

const exitOf = (shell: REPLServer): Promise<void> =>
  new Promise(resolve => shell.once('exit', () => resolve()))

/** Shortens long values, because the source of a page would fill the screen. */
const writer = (colors: boolean) => (value: unknown) =>
  inspect(value, { colors, maxStringLength: 1_000, depth: 4 })

function toolsFor(trial: PageTrial) {
  return {
    page: trial.view(),
    $: plainly((selector: string, attribute?: string) => trial.select(selector, attribute)),
    rules: async (value: Record<string, unknown>) => {
      const { records } = await trial.extract(plainly(rulesFrom)(value))
      return records.length === 1 ? records[0] : records
    },
    help: () => void process.stdout.write(`${help}\n`),
  }
}

/** Prints the user's mistakes in one line, without a stack trace. */
function plainly<Args extends unknown[], Result>(tool: (...args: Args) => Result): (...args: Args) => Result {
  return (...args) => {
    try {
      return tool(...args)
    } catch (error) {
      const { message } = asFailure(error)
      throw Object.assign(new Error(message), { stack: message })
    }
  }
}
