// A process that parses one page at a time, without store and network. If a page crashes it, no other process is harmed.
import { createWriteStream } from 'node:fs'
import { decodeText, EgressGate } from '../../fetch/http/index.ts'
import { systemClock } from '../../lib/clocks.ts'
import { asFailure } from '../../model/failures.ts'
import type { Page } from '../../model/page/page.ts'
import { fieldsIn, lookOf, outlineIn, pickAllIn, pickIn } from '../../pipeline/report/page-look.ts'
import { pageTexts, tryRules } from '../../pipeline/report/try-rules.ts'
import { seeAhead } from '../../pipeline/submit/sample-pages.ts'
import { makeDocument } from '../../pipeline/work/documents/page-document.ts'
import { OpenJob } from '../../pipeline/work/lane/open-job.ts'
import { isMarkup } from '../../pipeline/work/parse-page.ts'
import { readHere } from '../../pipeline/work/read-page.ts'
import { refuseTooLarge } from '../../pipeline/work/record-sizes.ts'
import { pageViewOf } from '../../pipeline/work/scraper/page-view.ts'
import type { PageView } from '../../scraper/page-view.ts'
import { noBlobs as blobs } from '../no-blobs.ts'
import { loadScrapers } from '../scrapers/scraper-files.ts'
import { checkKeys } from './answer-size.ts'
import { readFrames, writeFrame } from './frames.ts'
import type { FromReader, ReaderStart, ReaderWork, ToReader } from './messages.ts'
import { lowerPriority } from './priority.ts'

const answers = createWriteStream('', { fd: 3 })
const never = new AbortController().signal
let registry: ReturnType<typeof loadScrapers> | null = null

async function readOne({ job, task, page }: ReaderWork['read']['asked']): Promise<unknown> {
  const { results, ...spec } = job.spec
  const own = { ...job, spec: { ...spec, results: { ...results, raw: 'none' as const } } }
  const scrapers = await registry!
  await using open = new OpenJob(own, {
    ...{ name: 'reader', blobs, scraper: id => scrapers.get(id) },
    http: { gate: new EgressGate({ allowPrivate: [] }), caFile: null },
  })
  const reading = await readHere(open, task, whole(page))
  checkKeys(reading, task.url)
  // If the page will be loaded in a browser next, these records are discarded, so their size is not checked.
  if (!reading.looked?.need.needs) refuseTooLarge(job, open.scraperName, reading.extracted)
  return reading
}

/** A Buffer is received as plain bytes, so the body is made a Buffer again. */
const whole = (page: Page): Page => ({
  ...page,
  body: Buffer.from(page.body.buffer, page.body.byteOffset, page.body.byteLength),
})

async function answerTo(asked: ToReader): Promise<unknown> {
  if (asked.kind === 'read') return readOne(asked)
  if (asked.kind === 'document') return makeDocument(whole(asked.page), asked.options)
  if (asked.kind === 'ahead') return seeAhead(whole(asked.page), asked.as)
  if (asked.kind === 'probe') return probe(whole(asked.page))
  if (asked.kind === 'texts') return pageTexts(whole(asked.page))
  if (asked.kind === 'look') return lookOf(whole(asked.page))
  if (asked.kind === 'field-places') return fieldsIn(whole(asked.page), asked.rules)
  if (asked.kind === 'outline') return outlineIn(whole(asked.page))
  if (asked.kind === 'pick-all') return pickAllIn(whole(asked.page), asked.picks)
  if (asked.kind === 'pick') return pickIn(whole(asked.page), asked.request)
  const parts = { blobs, clock: systemClock, registry: await registry! }
  return tryRules(parts, whole(asked.page), asked.rules, never)
}

/** Reads the parts of a page that scrapers and models use most, to find out whether parsing crashes. */
function probe(page: Page): null {
  const view = pageViewOf(decodeText(page), page)
  view.text('body')
  view.things()
  if (!isMarkup(page)) ifJson(view)
  return null
}

function ifJson(view: PageView): void {
  try {
    view.json()
  } catch {
    // Most pages are not JSON, so this is no error.
  }
}

async function work(asked: ToReader): Promise<void> {
  const answer = await answerTo(asked).then(
    value => ({ answer: value }) as FromReader,
    error => ({ failure: asFailure(error).toJSON() }),
  )
  writeFrame(answers, answer)
}

lowerPriority(process.pid, Number(process.argv[2]))
readFrames(process.stdin, message => {
  if (registry) void work(message as ToReader)
  else registry = loadScrapers((message as ReaderStart).scraperFiles)
})
// The service has ended, or does not need this process any more.
process.stdin.on('end', () => process.exit(0))
answers.on('error', () => process.exit(0))
