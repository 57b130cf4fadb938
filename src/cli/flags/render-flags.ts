// Browser flags: when a browser is used, which files it stores, and how it behaves.
import type { Command } from 'commander'
import { parseDuration } from '../../lib/text/units.ts'
import { oneOf, parsed, whole } from './flag-values.ts'

const renderModes = ['never', 'auto', 'always'] as const
const browserKinds = ['plain', 'stealth'] as const
const isolations = ['task', 'session'] as const
const blockables = ['images', 'fonts', 'media', 'ads'] as const

export interface RenderFlags {
  render?: (typeof renderModes)[number]
  /** True, or for `kscrape scrape` a file name. */
  screenshot?: boolean | string
  pdf?: boolean | string
  fullPage?: boolean
  mobile?: boolean | string
  waitFor?: string | number
  settle?: number
  scroll?: boolean | number
  block?: Array<(typeof blockables)[number]>
  js?: string
  session?: string
  browser?: (typeof browserKinds)[number]
  isolation?: (typeof isolations)[number]
}

/** What happens without `--render` and `--isolation`. The help shows these texts as defaults. */
interface RenderDefaults {
  render: (typeof renderModes)[number]
  isolation: string
}
const manyPages: RenderDefaults = { render: 'never', isolation: 'session' }
const onePage: RenderDefaults = { render: 'auto', isolation: 'task' }
/** A recording always needs a browser. */
export const recordingDefaults: RenderDefaults = {
  render: 'always',
  isolation: 'task; with --session: session',
}

/** Flags for jobs of many pages, whose artifacts are stored with the job. */
export const renderFlags = (command: Command, usual: RenderDefaults = manyPages): Command =>
  pageFlags(
    grouped(command, usual)
      .option(
        '--screenshot',
        'store a screenshot of each page (`kscrape jobs artifacts JOB -o DIR` writes them to files)',
      )
      .option('--pdf', 'store each page as a PDF'),
    usual,
  )

/** Flags for one page, whose artifacts are written to local files. */
export const renderPageFlags = (command: Command): Command =>
  pageFlags(
    grouped(command, onePage)
      .option(
        '--screenshot [file]',
        'write a screenshot of the page (default: a file name from the URL)',
        fileName('png'),
      )
      .option('--pdf [file]', 'write the page as a PDF (default: a file name from the URL)', fileName('pdf')),
    onePage,
  )

const grouped = (command: Command, { render }: RenderDefaults): Command =>
  command
    .optionsGroup('The browser:')
    .option(
      '--render <mode>',
      `never, auto (HTTP first, a browser if the page needs one) or always (default ${render}; flags that need a browser imply always)`,
      oneOf(renderModes),
    )

const pageFlags = (command: Command, { isolation }: RenderDefaults): Command =>
  command
    .option('--full-page', 'take a screenshot of the whole page, not only of the window')
    .option('--mobile [device]', 'emulate a phone, like "Pixel 7" (the default)')
    .option(
      '--settle <duration>',
      'longest wait for content after a page has loaded (default 10s)',
      parsed(parseDuration),
    )
    .option(
      '--wait-for <what>',
      'a selector that must match, networkidle, or a time like 500ms',
      parsed(waitOf),
    )
    .option(
      '--scroll [screens]',
      'scroll down until nothing more loads, at most this many screens',
      whole(1, 1_000),
    )
    .option('--block <kinds>', `don't load ${blockables.join(', ')} (comma-separated)`, parsed(blocksOf))
    .option('--js <expression>', 'an expression for the page; its value is the field js of the record')
    .option('--session <name>', 'store cookies and storage under this name between runs')
    .option(
      '--browser <kind>',
      'plain (identifies itself) or stealth (recorded in the job)',
      oneOf(browserKinds),
    )
    .option(
      '--isolation <kind>',
      `task: pages share nothing; session: pages of the job share cookies (default ${isolation})`,
      oneOf(isolations),
    )

/** Digits are a time in milliseconds, and `500ms` is a duration. Any other text is a selector or an event. */
function waitOf(text: string): string | number {
  if (/^\d+$/.test(text)) return Number(text)
  return /^\d/.test(text) ? parseDuration(text) : text
}

const blocksOf = (text: string): Array<(typeof blockables)[number]> =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(Boolean)
    .map(oneOf(blockables))

const otherKind = /\.(?:png|jpe?g|webp|gif|avif|pdf|html?|txt|json)$/i

const fileName = (ending: 'png' | 'pdf') =>
  parsed((text: string) => {
    if (/^https?:\/\//i.test(text))
      throw new Error(`"${text}" is the page, not a file; put it before the flag, or name a file`)
    if (otherKind.test(text) && !text.toLowerCase().endsWith(`.${ending}`))
      throw new Error(`"${text}" must be a ${ending.toUpperCase()} file; use a name that ends in .${ending}`)
    return text
  })
