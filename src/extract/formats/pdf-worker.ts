// Parses PDFs in a separate thread, so that a hanging file can be stopped.
import { parentPort } from 'node:worker_threads'
import { loadFor } from '../../lib/optional-packages.ts'
import { Failure } from '../../model/failures.ts'
import { fieldsOf, formMarkdown, type Widget } from './pdf-form.ts'
import type { PdfAnswer, PdfContent, PdfJob, PdfLine } from './pdf-jobs.ts'
import { itemOf, linesOf, withoutRunningLines } from './pdf-lines.ts'
import { blocksOf, headingsOf, markdownOf } from './pdf-markdown.ts'

type Document = Awaited<ReturnType<typeof import('unpdf').getDocumentProxy>>

const maxLinks = 10_000
const maxWidgets = 10_000

parentPort!.on('message', async (job: PdfJob) => parentPort!.postMessage(await answer(job)))

async function answer(job: PdfJob): Promise<PdfAnswer> {
  try {
    const { getDocumentProxy } = await loadFor('pdf', () => import('unpdf'))
    const document = await getDocumentProxy(job.bytes, { verbosity: 0 })
    return { content: await contentOf(document, job) }
  } catch (error) {
    if (error instanceof Failure) return { failure: error.toJSON() }
    const { name, message } = error as Error
    return { why: name === 'PasswordException' ? 'it is locked with a password' : message }
  }
}

async function contentOf(document: Document, { maxPages, maxCharacters }: PdfJob): Promise<PdfContent> {
  const pages: string[] = []
  const lines: PdfLine[][] = []
  const links: string[] = []
  const widgets: Widget[] = []
  let left = maxCharacters
  for (let number = 1; number <= Math.min(document.numPages, maxPages) && left > 0; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    const text = items.map(item => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
    pages.push(text.slice(0, left))
    if (text.length <= left) lines.push(linesOf(items.filter(item => 'str' in item).map(itemOf)))
    left -= text.length
    const annotations = (await page.getAnnotations()) as Array<Widget & { url?: unknown }>
    if (links.length < maxLinks) links.push(...linksOf(annotations))
    if (widgets.length < maxWidgets) widgets.push(...annotations)
    page.cleanup()
  }
  return {
    pageCount: document.numPages,
    pages,
    info: await infoOf(document),
    links,
    ...shaped(lines, widgets),
  }
}

function shaped(
  lines: readonly PdfLine[][],
  widgets: readonly Widget[],
): Pick<PdfContent, 'markdown' | 'headings' | 'form'> {
  const blocks = blocksOf(withoutRunningLines(lines))
  const form = fieldsOf(widgets)
  const markdown = [markdownOf(blocks), formMarkdown(form)].filter(Boolean).join('\n\n')
  return { markdown, headings: headingsOf(blocks), form }
}

const linksOf = (annotations: Array<{ url?: unknown }>): string[] =>
  annotations.map(({ url }) => url).filter(url => typeof url === 'string')

async function infoOf(document: Document): Promise<Record<string, string>> {
  const { info } = await document.getMetadata()
  const said = Object.entries(info as Record<string, unknown>)
  return Object.fromEntries(said.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
