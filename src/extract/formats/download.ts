// Files that are stored but not parsed: images, archives, audio. Their record contains metadata; the bytes are in the
// raw page.

import { hash } from 'node:crypto'
import { decodePercent } from '../../lib/text/percent-encoding.ts'
import type { Extracted } from '../../model/record.ts'
import type { PageNotes } from '../default-record.ts'
import { imageSize } from './image-size.ts'
import { otherRecord } from './other-record.ts'

export interface Download {
  /** Empty if the server sent no content type. */
  contentType: string
  /** The Content-Disposition header. */
  disposition: string | null
  body: Uint8Array
}

export function downloadRecord(page: PageNotes, { contentType, disposition, body }: Download): Extracted {
  const found = {
    content_type: contentType || 'application/octet-stream',
    bytes: body.length,
    sha256: hash('sha256', body),
    filename: fileName(disposition) ?? nameIn(page.finalUrl),
    ...imageSize(body),
  }
  return otherRecord(page, found, { text: 'the file is not text; its bytes are stored with the raw page' })
}

/** The file name in Content-Disposition (RFC 6266). The UTF-8 name takes precedence. Folders are removed. */
function fileName(disposition: string | null): string | null {
  if (disposition === null) return null
  const encoded = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1]
  const plain = /;\s*filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition)
  return lastPart(encoded ? decodePercent(encoded) : (plain?.[1] ?? plain?.[2] ?? ''))
}

const nameIn = (url: string): string | null => lastPart(decodePercent(URL.parse(url)?.pathname ?? ''))

/** Removes control characters too, because file names are printed in terminals. */
const lastPart = (path: string): string | null =>
  /[^/\\]*$/
    .exec(path)![0]
    .replace(/\p{Cc}/gu, '')
    .slice(0, 255) || null
