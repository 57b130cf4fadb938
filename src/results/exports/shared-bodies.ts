// Rewrites the records of page archives for one file. Each body is written once, and every revisit refers to a body in
// the same file.
import type { BlobRef } from '../../model/page/page.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { jobOfKey } from '../keys.ts'
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

  /** Rewrites the stored records of whole pages for the file. `key` names the object that stores them. */
  async records(bytes: Buffer, key: string): Promise<Buffer> {
    const members: Buffer[] = []
    for (const member of warcMembers(bytes)) {
      const own = bytes.subarray(member.offset, member.offset + member.length)
      const type = member.headers.get('WARC-Type')
      if (type === 'revisit') members.push(await this.#revisit(member, key))
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

  /** Rewrites a revisit record, which refers to the body of an earlier page. If that body is not in the file,
   *  the record gets a copy of it. The body is missing if the earlier page failed or ran again. */
  async #revisit(member: WarcMember, storedIn: string): Promise<Buffer> {
    const key = keyOf(member)
    const written = this.#written.get(key)
    if (written && !this.#repeats) return asRevisit(member, splitHead(member.block, 'latin1'), written)
    const body = await this.#bodyAt(member, storedIn)
    if (body === null) return compress(plainRecord(fieldsOf(member), member.block))
    this.#written.set(key, writtenOf(member))
    return asResponse(member, body)
  }

  async #bodyAt({ headers }: WarcMember, storedIn: string): Promise<Buffer | null> {
    const place = placeOf(headers.get(payloadAtField) ?? '')
    // A forged record could name a body of another job.
    if (!place || jobOfKey(place.key) !== jobOfKey(storedIn)) return null
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
  const [, key, offset, length] = /^(\S+) (\d{1,15}) (\d{1,15})$/.exec(text) ?? []
  return key === undefined ? null : { key, offset: Number(offset), length: Number(length) }
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
