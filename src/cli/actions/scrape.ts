// The action of kscrape scrape: a job with one task per URL. Its pages go to stdout or to files, in the requested format.
import { Failure } from '../../model/failures.ts'
import type { JobSpecInput } from '../../model/job.ts'
import { timeouts } from '../../model/policy/policy.ts'
import { specOf } from '../flags/flag-spec.ts'
import type { ScrapeFlags } from '../flags/flags.ts'
import { mostPages, pagesHere, pagesThere, type ScrapedPage } from '../jobs/page-reader.ts'
import { startSpec } from '../jobs/start-job.ts'
import { print } from '../print.ts'
import { type PageText, pageText } from '../show/page-text.ts'
import { nameOf } from '../show/summary.ts'
import { type PageFile, pageFilesOf, writePageFiles, writePageText } from './scrape-files.ts'

export async function scrapePages(urls: string[], flags: ScrapeFlags): Promise<void> {
  if (urls.length > mostPages)
    throw new Failure(
      'input.invalid',
      `scrape takes up to ${mostPages} URLs; write them into a file and use \`kscrape run FILE\``,
    )
  const { pageFiles, outputs } = pageFilesOf(flags, urls.length)
  const spec = specFor(urls, { ...flags, output: outputs })
  const finish = (pages: ScrapedPage[]) => showPages(pages, flags, pageFiles)
  await startSpec(flags, spec, {
    command: `scrape ${urls.join(' ')}`,
    lanes: 0,
    mayBeRemote: true,
    finish: async (engine, job) => finish(await pagesHere(engine.data, job.id)),
    finishThere: async (service, jobId) => finish(await pagesThere(service, jobId)),
  })
}

function specFor(urls: string[], flags: ScrapeFlags): JobSpecInput {
  const spec = specOf(flags)
  // The user waits, so the request for a single page may follow the request for robots.txt without a pause. A crawl delay still
  // applies.
  const policy = {
    ...spec.policy,
    // Pages of one host are fetched one after another, so each adds its own time limit.
    answerWithinMs: flags.wait * urls.length,
    timeouts: { ...silenceWithin(flags.wait), ...spec.policy?.timeouts },
    host: { burst: urls.length === 1 ? 2 : 1, ...spec.policy?.host },
    browser: { isolation: 'task' as const, ...spec.policy?.browser },
  }
  return { ...(!namesBrowser(flags) && { render: 'auto' as const }), ...spec, policy, urls }
}

/** Whether a flag describes how a browser loads the page. Such a flag implies that a browser is used. */
const namesBrowser = ({ block, browser, settle, fullPage }: ScrapeFlags): boolean =>
  block !== undefined || browser === 'stealth' || settle !== undefined || fullPage !== undefined

/** Timeouts for a server that sends nothing. They are never longer than `--wait`. */
const silenceWithin = (waitMs: number): { connectMs?: number; headersMs?: number } => {
  const { connectMs, headersMs } = timeouts.parse({})
  return waitMs === 0
    ? {}
    : { connectMs: Math.min(connectMs, waitMs), headersMs: Math.min(headersMs, waitMs) }
}

type PageFormat = ScrapeFlags['format']

async function showPages(pages: ScrapedPage[], flags: ScrapeFlags, files: PageFile[]): Promise<void> {
  const format: PageFormat = flags.extract || flags.field ? 'json' : flags.format
  const formats = flags.output === undefined ? [format] : files.map(file => file.format)
  const parts: string[][] = formats.map(() => [])
  for (const page of pages) {
    const texts = await textsOf(page, formats, flags, pages.length > 1)
    for (const [index, text] of texts.entries()) if (text !== null) parts[index]?.push(text)
    await writePageFiles(page, flags)
  }
  if (flags.output === undefined) {
    if (parts[0]!.length > 0) print(parts[0]!.join(between(format)))
    return
  }
  for (const [index, file] of files.entries())
    await writePageText(file, parts[index]!.join(between(file.format)))
  if (!flags.quiet) for (const path of flags.output) process.stderr.write(`wrote ${nameOf(path)}\n`)
}

/** The page in each of these formats. Messages about the page are printed to stderr only once. */
async function textsOf(
  page: ScrapedPage,
  formats: PageFormat[],
  flags: ScrapeFlags,
  isOneOfMany: boolean,
): Promise<Array<string | null>> {
  const hasRules = Boolean(flags.extract || flags.field)
  const common = { full: Boolean(flags.full), withPage: flags.render !== undefined, isOneOfMany, hasRules }
  const shown: Array<PageText & { format: PageFormat }> = []
  for (const format of formats.length > 0 ? formats : (['json'] as const))
    shown.push({ ...(await pageText(page, { ...common, format })), format })
  for (const note of shown[0]!.notes) process.stderr.write(`kscrape: ${note}\n`)
  return shown.map(({ text, format }) =>
    text !== null && isOneOfMany ? headOf(page.url, format) + text : text,
  )
}

/** The heading above each page if several are printed. JSON and links need none, because each line is complete without it. */
function headOf(url: string, format: PageFormat): string {
  if (format === 'json' || format === 'links') return ''
  return format === 'html' ? `<!-- ${url} -->\n` : `<${url}>\n\n`
}

const between = (format: PageFormat): string => (format === 'json' || format === 'links' ? '\n' : '\n\n')
