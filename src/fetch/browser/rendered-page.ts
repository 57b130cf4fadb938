// Builds a page object from a page that a browser has loaded.
import { readFile } from 'node:fs/promises'
import { type HeaderList, headerOf, type Page } from '../../model/page/page.ts'
import type { Artifact } from '../../model/policy/rendering.ts'
import type { Json } from '../../model/record.ts'
import { withoutSecrets } from '../http/index.ts'
import type { RenderRequest } from './browser-fetch.ts'
import type { LoadedPage } from './driver.ts'

export async function renderedPage(
  loaded: LoadedPage,
  request: RenderRequest,
  startedAt: number,
): Promise<Page> {
  const files = await Promise.all(loaded.downloads.map(({ path }) => readFile(path)))
  const isFile = loaded.html === '' && files.length > 0
  const body = isFile ? files[0]! : Buffer.from(loaded.html)
  return {
    url: request.url,
    finalUrl: loaded.finalUrl,
    status: loaded.status,
    headers: isFile ? loaded.headers : markupHeaders(loaded.headers),
    body,
    wireBytes: body.length,
    hops: loaded.hops,
    remoteAddress: null,
    httpVersion: '1.1',
    startedAt,
    sentAt: loaded.sentAt,
    endedAt: loaded.endedAt,
    requestHeaders: withoutSecrets(loaded.requestHeaders),
    rendered: {
      why: request.why,
      artifacts: artifactsOf(loaded, files),
      ...(loaded.value !== null && { value: JSON.parse(loaded.value) as Json }),
      ...(loaded.settled && { settled: loaded.settled }),
      live: loaded.live,
    },
    // With a download, the response is the file itself, so the recorded parts are not a whole page.
    ...(loaded.parts && { parts: { ...loaded.parts, isWhole: !isFile } }),
  }
}

/** Adapts the headers to the markup, because the browser has decoded the body, and its markup is always UTF-8. */
function markupHeaders(headers: HeaderList): HeaderList {
  const undone = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'content-type'])
  const type = headerOf(headers, 'content-type')?.split(';', 1)[0]?.trim() || 'text/html'
  return [...headers.filter(([name]) => !undone.has(name)), ['content-type', `${type}; charset=utf-8`]]
}

function artifactsOf(loaded: LoadedPage, files: Buffer[]): Artifact[] {
  const { html, screenshot, pdf, downloads, notKept, headers } = loaded
  const artifacts: Artifact[] = []
  if (screenshot !== null) {
    artifacts.push({ name: 'screenshot', fileName: 'screenshot.png', type: 'image/png', bytes: screenshot })
  }
  if (pdf !== null) artifacts.push({ name: 'pdf', fileName: 'page.pdf', type: 'application/pdf', bytes: pdf })
  // If there is no markup, the response was the file itself, and its content type is the type of the file.
  const answered = (html === '' && headerOf(headers, 'content-type')) || 'application/octet-stream'
  for (const [at, { fileName, type }] of downloads.entries()) {
    const name = at === 0 ? 'download' : `download-${at + 1}`
    artifacts.push({ name, fileName, type: type || answered, bytes: files[at]! })
  }
  if (notKept.length > 0) artifacts.push(reasonsFile(notKept))
  return artifacts
}

/** Limits, because a page can start any number of downloads with URLs of any length. */
const mostReasons = 100
const longestReason = 10_000

function reasonsFile(notKept: string[]): Artifact {
  const lines = notKept.slice(0, mostReasons).map(why => `${why.slice(0, longestReason)}\n`)
  const type = 'text/plain; charset=utf-8'
  return { name: 'not-kept', fileName: 'not-kept.txt', type, bytes: Buffer.from(lines.join('')) }
}
