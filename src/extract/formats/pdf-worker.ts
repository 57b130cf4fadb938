// Reads PDFs on a thread of its own, which can be ended when one of them does not come back.
import { parentPort } from 'node:worker_threads'
import { getDocumentProxy } from 'unpdf'
import type { PdfAnswer, PdfContent, PdfJob } from './pdf-jobs.ts'

type Document = Awaited<ReturnType<typeof getDocumentProxy>>

const maxLinks = 10_000

parentPort!.on('message', async (job: PdfJob) => parentPort!.postMessage(await answer(job)))

async function answer(job: PdfJob): Promise<PdfAnswer> {
  try {
    const document = await getDocumentProxy(job.bytes, { verbosity: 0 })
    return { content: await contentOf(document, job) }
  } catch (error) {
    const { name, message } = error as Error
    return {
      why: name === 'PasswordException' ? 'it is locked with a password' : `it can't be read: ${message}`,
    }
  }
}

async function contentOf(document: Document, { maxPages, maxCharacters }: PdfJob): Promise<PdfContent> {
  const content: PdfContent = {
    pageCount: document.numPages,
    pages: [],
    info: await infoOf(document),
    links: [],
  }
  let left = maxCharacters
  for (let number = 1; number <= Math.min(document.numPages, maxPages) && left > 0; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    const text = items.map(item => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
    content.pages.push(text.slice(0, left))
    left -= text.length
    if (content.links.length < maxLinks) content.links.push(...linksOf(await page.getAnnotations()))
    page.cleanup()
  }
  return content
}

const linksOf = (annotations: Array<{ url?: unknown }>): string[] =>
  annotations.map(({ url }) => url).filter(url => typeof url === 'string')

async function infoOf(document: Document): Promise<Record<string, string>> {
  const { info } = await document.getMetadata()
  const said = Object.entries(info as Record<string, unknown>)
  return Object.fromEntries(said.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
