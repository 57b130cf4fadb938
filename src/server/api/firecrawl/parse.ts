// POST /v2/parse: converts an uploaded file to a document. The file stays in memory and is not stored.

import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { Failure } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import { isFeedEntry, wholeFeed } from '../../../model/page/feed-records.ts'
import type { Page } from '../../../model/page/page.ts'
import type { RecordData, StoredRecord } from '../../../model/record.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import { maskedRecord } from '../../../pipeline/work/documents/page-document.ts'
import type { App, FastifyRequest } from '../../app.ts'
import { usualPiiOf } from '../../consent.ts'
import { usualBodyBytes } from '../../http/bodies.ts'
import { formParts } from '../../http/form-parts.ts'
import type { Server } from '../../parts.ts'
import { documentFrom } from './document.ts'
import { preparedOptions } from './prepare-options.ts'
import { refused } from './problems.ts'
import { hidden, readBody } from './routes.ts'
import { optionsV2, type TheirOptions } from './schemas.ts'
import { type StoredRequest, wantedOf } from './stored-request.ts'

/** Firecrawl's limit. The whole file is in memory. */
const mostBytes = 52_428_800

const longestName = 255

/** The options without those that concern fetching, because a file is not fetched. */
const { waitFor, mobile, actions, location, maxAge, minAge, lockdown, ...fileOptions } = optionsV2
const parseOptions = z.strictObject(fileOptions)
const fetchOptions = ['headers', 'proxy', 'blockAds', 'profile', 'storeInCache', 'timeout'] as const
const pageFormats = ['screenshot', 'changeTracking', 'branding']

/** A separate Fastify scope, because only this route accepts forms. JSON bodies of this size would block the
 *  service. */
export function addParsing(app: App, server: Server): void {
  app.register(async (scope: unknown) => {
    const forms = scope as App
    forms.removeAllContentTypeParsers()
    forms.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    addParse(forms, server)
  })
}

function addParse(app: App, server: Server): void {
  const bodyLimit = Math.min(mostBytes, server.settings.maxUploadBytes)
  app.post('/v2/parse', { ...hidden, bodyLimit, config: { scope: 'submit' } }, async request => {
    const { file, options } = uploaded(request)
    const data = await parsed(server, request, file, readBody(parseOptions, options))
    return { success: true, data, ...(data.warning !== undefined && { warning: data.warning }) }
  })
}

interface UploadedFile {
  name: string
  type: string
  body: Buffer
}

function uploaded({ body, headers }: FastifyRequest): { file: UploadedFile; options: unknown } {
  if (!Buffer.isBuffer(body))
    throw refused('file', 'send a form (multipart/form-data) with the fields file and options')
  const parts = formParts(body, headers['content-type'] ?? '')
  const file = parts.find(({ name }) => name === 'file')
  if (!file || file.fileName === null) throw refused('file', 'the form needs a field "file" with a file name')
  const name = file.fileName
  if (name.length > longestName) throw refused('file', `its name has more than ${longestName} characters`)
  if (file.body.length === 0) throw refused('file', `"${name}" is empty`)
  const options = parts.find(part => part.name === 'options')?.body
  return { file: { name, type: file.type, body: file.body }, options: optionsIn(options) }
}

function optionsIn(given: Buffer | undefined): unknown {
  if (given === undefined || given.length === 0) return {}
  if (given.length > usualBodyBytes) throw refused('options', `they are longer than ${usualBodyBytes} bytes`)
  try {
    return JSON.parse(given.toString())
  } catch {
    throw refused('options', 'it must be JSON')
  }
}

async function parsed(
  server: Server,
  { caller }: FastifyRequest,
  file: UploadedFile,
  given: z.output<typeof parseOptions>,
): Promise<Record<string, unknown>> {
  const { parts } = server
  const options = await preparedOptions(server, caller, { version: 2, given } as TheirOptions)
  refusePageFormats(options.formats, options)
  options.warnings.push(
    ...fetchOptions
      .filter(name => given[name] !== undefined)
      .map(name => `${name}: ignored; a file is not fetched`),
  )
  const page = pageOf(file, parts.clock.now())
  const { records } = await parts.tryRules(page)
  const found = records.map(({ data }) => data)
  if (!found.some(hasText)) throw unreadable(file, page)
  const pii = options.masksPersonalData ? 'mask' : usualPiiOf(server, caller)
  const [first = {}, ...rest] = found.map(data => maskedRecord(data, pii))
  const entries = isFeedEntry(first) ? [first, ...rest] : []
  const job = jobFor(page.url, caller.workspace, pii)
  const kept: StoredRequest = {
    kind: 'parse',
    version: 2,
    url: null,
    wanted: wantedOf(options),
    webhook: null,
  }
  const document = await documentFrom({
    ...{ parts, job, kept, page, entries, attempts: [], asked: file.name },
    ...{ data: wholeFeed(entries) ?? first, record: recordFor(page, first) },
  })
  return { ...document, metadata: fileMetadata(document.metadata as Record<string, unknown>, file) }
}

function refusePageFormats(
  formats: readonly string[],
  options: { hasScreenshot: boolean; changes?: unknown },
): void {
  const bad =
    formats.find(name => pageFormats.includes(name)) ??
    (options.hasScreenshot ? 'screenshot' : options.changes ? 'changeTracking' : undefined)
  if (bad !== undefined) throw refused('formats', `"${bad}" is for web pages; a file has none`)
}

const hasText = ({ text, markdown }: RecordData): boolean =>
  [text, markdown].some(value => typeof value === 'string' && value.trim() !== '')

const unreadable = ({ name }: UploadedFile, { headers }: Page): Failure =>
  new Failure(
    'content.unsupported',
    `"${name}" (${headers[0]![1]}) has no text that can be read; HTML, PDF, Markdown, text, CSV, JSON, XML and feeds can`,
  )

const types: Record<string, string> = {
  ...{ html: 'text/html', htm: 'text/html', xhtml: 'application/xhtml+xml', pdf: 'application/pdf' },
  ...{ txt: 'text/plain', md: 'text/markdown', csv: 'text/csv', tsv: 'text/tab-separated-values' },
  ...{
    json: 'application/json',
    xml: 'application/xml',
    rss: 'application/rss+xml',
    atom: 'application/atom+xml',
  },
}

/** The file extension has priority over the content type, because clients often send `application/octet-stream`. */
function typeOf({ name, type, body }: UploadedFile): string {
  if (body.subarray(0, 5).toString('latin1') === '%PDF-') return 'application/pdf'
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return types[ending] ?? (type || 'application/octet-stream')
}

/** A file has no URL, so the page gets one with the reserved host `upload.invalid`. */
function pageOf(file: UploadedFile, now: number): Page {
  const url = `https://upload.invalid/${encodeURIComponent(file.name)}`
  return {
    ...{ url, finalUrl: url, status: 200, headers: [['content-type', typeOf(file)]], body: file.body },
    ...{ wireBytes: file.body.length, hops: [], remoteAddress: null, httpVersion: '1.1' },
    ...{ startedAt: now, sentAt: now, endedAt: now },
  }
}

/** A job object that the conversion to a document needs. It is never stored. */
const jobFor = (url: string, workspace: string, pii: 'keep' | 'mask' | 'drop'): Job =>
  ({
    ...{ id: randomUUID(), kind: 'list', state: 'completed', workspace, face: 'firecrawl', createdAt: 0 },
    spec: { ...parseJobSpec({ urls: [url] }), pii },
  }) as unknown as Job

const recordFor = ({ url, finalUrl, status, endedAt }: Page, data: RecordData): StoredRecord =>
  ({
    ...{ n: 1, index: 0, seq: 1, url, finalUrl, status, fetchedAt: endedAt, way: null },
    data: JSON.stringify(data),
  }) as StoredRecord

/** Removes metadata that a file does not have: its URL and cache fields. */
function fileMetadata(
  metadata: Record<string, unknown>,
  { name, body }: UploadedFile,
): Record<string, unknown> {
  const { url, cacheState, proxyUsed, scrapeId, ...rest } = metadata
  return { ...rest, sourceURL: name, fileName: name, fileSize: body.length }
}
