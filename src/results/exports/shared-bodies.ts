// Rewrites the records of page archives for one file. Each body is written once, and every revisit refers to a body in
// the same file.
import type { BlobRef } from '../../model/page/page.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { unpack } from '../unpack.ts'
import { compress } from '../warc.ts'
import { type WarcMember, warcMembers } from '../warc-members.ts'
import {
  bodyKey,
  type Fields,
  partMethodField,
  partOfField,
  payloadAtField,
  plainRecord,
  revisitFields,
} from '../warc-parts.ts'
import { blockAt, responseOf, splitHead } from '../warc-reader.ts'

interface Written {
  url: string
  date: string
}

export class SharedBodies {
  readonly #blobs: Blobs
  readonly #written = new Map<string, Written>()

  readonly #repeats: boolean

  /** With `repeatsBodies`, every response contains its body, even if the file already has it. */
  constructor(blobs: Blobs, { repeatsBodies = false } = {}) {
    this.#blobs = blobs
    this.#repeats = repeatsBodies
  }

  /** The records of whole pages, rewritten as members of the file. */
  async records(bytes: Buffer): Promise<Buffer> {
    const members: Buffer[] = []
    for (const member of warcMembers(bytes)) {
      const own = bytes.subarray(member.offset, member.offset + member.length)
      const type = member.headers.get('WARC-Type')
      if (type === 'revisit') members.push(await this.#revisit(member))
      else if (type === 'response' && isShared(member)) members.push(this.#response(member, own))
      else if (type !== 'warcinfo') members.push(own)
    }
    return Buffer.concat(members)
  }

  #response(member: WarcMember, own: Buffer): Buffer {
    const key = keyOf(member)
    const written = this.#written.get(key)
    if (written && !this.#repeats) return asRevisit(member, splitHead(member.block, 'latin1'), written)
    this.#written.set(key, writtenOf(member))
    return own
  }

  /** Rewrites a revisit. If the file does not contain the shared body yet, the record gets a copy of it. This happens
   *  if the page that stored the body failed or ran again. */
  async #revisit(member: WarcMember): Promise<Buffer> {
    const key = keyOf(member)
    const written = this.#written.get(key)
    if (written && !this.#repeats) return asRevisit(member, splitHead(member.block, 'latin1'), written)
    const body = await this.#bodyAt(member)
    if (body === null) return compress(plainRecord(fieldsOf(member), member.block))
    this.#written.set(key, writtenOf(member))
    return asResponse(member, body)
  }

  async #bodyAt({ headers }: WarcMember): Promise<Buffer | null> {
    const place = placeOf(headers.get(payloadAtField) ?? '')
    if (!place) return null
    const original = blockAt(unpack(await this.#blobs.read(place)), 0)
    // The digests differ if the original body was erased after this record was written.
    if (original.headers.get('WARC-Payload-Digest') !== headers.get('WARC-Payload-Digest')) return null
    return responseOf(original).body
  }
}

/** Only bodies of page parts are shared. Pages themselves are read by their position, so each contains its own body. */
const isShared = ({ headers, block }: WarcMember): boolean =>
  headers.has(partOfField) && !headers.has(partMethodField) && splitHead(block, 'latin1').rest.length > 0

const keyOf = ({ headers }: WarcMember): string =>
  bodyKey(headers.get('WARC-Target-URI') ?? '', headers.get('WARC-Payload-Digest') ?? '')

const writtenOf = ({ headers }: WarcMember): Written => ({
  url: headers.get('WARC-Target-URI') ?? '',
  date: headers.get('WARC-Date') ?? '',
})

function placeOf(text: string): BlobRef | null {
  const [key, offset, length] = text.split(' ')
  return length === undefined ? null : { key: key!, offset: Number(offset), length: Number(length) }
}

/** The fields of the record, without those that only a revisit has. */
function fieldsOf({ headers }: WarcMember): Fields {
  const own = [...headers].filter(
    ([name]) => !/^(WARC-Profile|WARC-Refers-To.*|Content-Length|Content-Type)$/.test(name),
  )
  return { ...Object.fromEntries(own), [payloadAtField]: null }
}

const httpType = { 'Content-Type': 'application/http;msgtype=response' }

function asRevisit(member: WarcMember, { lines }: { lines: string[] }, written: Written): Buffer {
  const fields = { ...fieldsOf(member), 'WARC-Type': 'revisit', ...revisitFields(written), ...httpType }
  return compress(plainRecord(fields, headBlock(lines)))
}

function asResponse(member: WarcMember, body: Buffer): Buffer {
  const { lines } = splitHead(member.block, 'latin1')
  const fields = { ...fieldsOf(member), 'WARC-Type': 'response', ...httpType }
  return compress(plainRecord(fields, Buffer.concat([headBlock(lines), body])))
}

const headBlock = (lines: string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
