// Checks the records of one WARC file: required fields, lengths and digests.
import { payloadDigest } from '../warc.ts'
import { type WarcMember, warcMembers } from '../warc-members.ts'
import { responseOf } from '../warc-reader.ts'

/** A record of a WARC file. The index of the archive must list it with the same values. */
export interface CheckedRecord {
  type: string
  url: string
  date: string
  status: number | null
  digest: string
  length: number
  /** For a revisit, the URL and date of the record that contains the payload. Null for other records. */
  refersTo: string | null
}

interface CheckedWarc {
  /** Records by their offset in the file. */
  records: Map<number, CheckedRecord>
  count: number
}

type Report = (where: string, what: string) => void

const requiredFields = ['WARC-Type', 'WARC-Record-ID', 'WARC-Date', 'Content-Length']
const indexed = new Set(['response', 'revisit', 'resource'])

export function checkWarc(name: string, bytes: Buffer, report: Report, mostBytes?: number): CheckedWarc {
  const records = new Map<number, CheckedRecord>()
  let count = 0
  try {
    for (const member of warcMembers(bytes, mostBytes)) {
      const where = `${name} at ${member.offset}`
      checkFields(member, count === 0, problem => report(where, problem))
      if (indexed.has(member.headers.get('WARC-Type') ?? ''))
        records.set(
          member.offset,
          checkedRecord(member, problem => report(where, problem)),
        )
      count++
    }
  } catch (error) {
    report(name, `record ${count + 1} cannot be read: ${(error as Error).message}`)
  }
  return { records, count }
}

function checkFields({ headers }: WarcMember, isFirst: boolean, report: (problem: string) => void): void {
  for (const field of requiredFields) if (!headers.has(field)) report(`the record lacks ${field}`)
  const type = headers.get('WARC-Type')
  if (isFirst && type !== 'warcinfo') report(`the first record is "${type}", not "warcinfo"`)
  if (!/^<[a-z]+:.+>$/.test(headers.get('WARC-Record-ID') ?? '')) report('WARC-Record-ID is not a URI in <>')
  if (Number.isNaN(Date.parse(headers.get('WARC-Date') ?? ''))) report('WARC-Date is not a date')
  if (type === 'revisit')
    for (const field of ['WARC-Profile', 'WARC-Refers-To-Target-URI', 'WARC-Refers-To-Date'])
      if (!headers.has(field)) report(`the revisit lacks ${field}`)
}

function checkedRecord(member: WarcMember, report: (problem: string) => void): CheckedRecord {
  const { headers, block, length } = member
  const type = headers.get('WARC-Type')!
  const http = type === 'resource' ? null : responseOf(member)
  const digest = headers.get('WARC-Payload-Digest') ?? ''
  const body = http?.body ?? block
  if (type !== 'revisit' && digest.startsWith('sha1:') && digest !== payloadDigest(body))
    report(`the payload has the digest ${payloadDigest(body)}, not ${digest}`)
  const said = http?.httpHeaders.find(([field]) => field.toLowerCase() === 'content-length')?.[1]
  if (type === 'response' && said !== undefined && Number(said) !== body.length)
    report(`the body has ${body.length} bytes, but Content-Length says ${said}`)
  return {
    ...{ type, length, digest, status: http?.status ?? null },
    url: headers.get('WARC-Target-URI') ?? '',
    date: headers.get('WARC-Date') ?? '',
    refersTo:
      type === 'revisit'
        ? `${headers.get('WARC-Refers-To-Target-URI')} ${headers.get('WARC-Refers-To-Date')}`
        : null,
  }
}
