// The record of a PDF: its text, markdown, form fields and metadata.
import { cleanText, cutControls } from '../../lib/text/clean-text.ts'
import { Failure } from '../../model/failures.ts'
import type { Extracted, Json } from '../../model/record.ts'
import { absoluteLinks, type PageNotes } from '../default-record.ts'
import { type Download, downloadRecord } from './download.ts'
import type { PdfAnswer, PdfContent } from './pdf-jobs.ts'

/** Throws `content.unreadable` if the file could not be parsed, and `feature.missing` if no PDF parser is installed. */
export function pdfContent({ finalUrl: url }: Pick<PageNotes, 'finalUrl'>, answer: PdfAnswer): PdfContent {
  if ('content' in answer) return answer.content
  if ('failure' in answer) throw Failure.from(answer.failure)
  throw new Failure('content.unreadable', `${url} is a PDF that cannot be read: ${answer.why}`, { url })
}

export function pdfRecord(page: PageNotes, download: Download, content: PdfContent): Extracted {
  const { data, provenance } = downloadRecord(page, download)
  const found = contentOf(content, page.finalUrl)
  const fields = Object.keys(found).filter(key => found[key] !== null)
  const sources = Object.fromEntries(fields.map(key => [key, { from: 'page' } as const]))
  return { data: { ...data, ...found }, provenance: { ...provenance, ...sources } }
}

export const pdfText = ({ pages }: PdfContent): string => cutControls(pages.join('\n\n')).trim()

function contentOf(content: PdfContent, base: string): Record<string, Json> {
  const { info, pageCount, pages, markdown, headings, form, links } = content
  const said = (key: string): string | null => cleanText(info[key] ?? '') || null
  return {
    title: titleOf(content),
    description: said('Subject'),
    language: said('Language'),
    headings: headings.map(({ level, text }) => ({ level, text: cleanText(text) })),
    text: pdfText(content) || null,
    markdown: cutControls(markdown).trim() || null,
    links: absoluteLinks({ base, hrefs: links }),
    pages: pageCount,
    pages_read: pages.length,
    form: form.map(({ name, label, value }) => ({ name, label, value })),
    metadata: {
      author: said('Author'),
      keywords: said('Keywords'),
      creator: said('Creator'),
      producer: said('Producer'),
      created_at: pdfDate(info.CreationDate),
      modified_at: pdfDate(info.ModDate),
    },
  }
}

/** The title in the metadata. Programs often write a file name there; the first heading is then used. */
function titleOf({ info, headings }: PdfContent): string | null {
  const named = cleanText(info.Title ?? '') || null
  const [heading] = headings.toSorted((one, other) => one.level - other.level)
  return named !== null && (!heading || !fileTitle.test(named))
    ? named
    : cleanText(heading?.text ?? '') || null
}

const fileTitle =
  /^(?:microsoft \w+ - |untitled|slide \d|document\d*$|title$)|\.(?:docx?|odt|rtf|pdf|tex|dvi|indd|qxd|pptx?|xlsx?|html?)$/i

/** Parses dates such as `D:20240131093000+01'00'`. Everything after the year is optional. */
export function pdfDate(written: string | undefined): string | null {
  const parts = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?)?/.exec(
    written ?? '',
  )
  if (parts === null) return null
  const [, year, month = '01', day = '01', hour, minute = '00', second = '00', sign, hours, minutes = '00'] =
    parts
  const zone = sign && hours ? `${sign}${hours}:${minutes}` : 'Z'
  const time = Date.parse(`${year}-${month}-${day}T${hour ?? '00'}:${minute}:${second}${zone}`)
  if (Number.isNaN(time)) return null
  const iso = new Date(time).toISOString()
  return hour === undefined ? iso.slice(0, 10) : iso
}
