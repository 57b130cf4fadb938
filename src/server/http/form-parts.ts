// Parses multipart/form-data. Node's own parser builds an object for each part, so a few megabytes of empty parts would block the
// thread for seconds.
import { Failure } from '../../model/failures.ts'

interface FormPart {
  name: string
  /** Null for a field that is not a file. */
  fileName: string | null
  type: string
  /** A view of the request body, not a copy. */
  body: Buffer
}

const mostParts = 20
const longestHead = 4_096
const lineEnd = '\r\n'

/** Throws `input.invalid` if the body is not a form, or has too many fields. */
export function formParts(body: Buffer, contentType: string): FormPart[] {
  const boundary = /^multipart\/form-data\b.*?;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType,
  )
  if (!boundary) throw unreadable('its content type needs a boundary')
  const delimiter = `--${boundary[1] ?? boundary[2]}`
  const parts: FormPart[] = []
  let at = body.subarray(0, delimiter.length).toString('latin1') === delimiter ? delimiter.length : -1
  while (at !== -1 && body.subarray(at, at + 2).toString('latin1') !== '--') {
    if (parts.length === mostParts) throw unreadable(`it has more than ${mostParts} fields`)
    const head = body.subarray(at, at + longestHead).indexOf(lineEnd + lineEnd)
    const end = head === -1 ? -1 : body.indexOf(lineEnd + delimiter, at + head + 2)
    if (end === -1) throw unreadable('a field has no end, or its header is too long')
    parts.push(partOf(body.subarray(at, at + head).toString('utf8'), body.subarray(at + head + 4, end)))
    at = end + lineEnd.length + delimiter.length
  }
  if (at === -1) throw unreadable('it does not begin with its boundary')
  return parts
}

function partOf(head: string, body: Buffer): FormPart {
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? ''
  const name = parameter(disposition, 'name')
  if (name === null) throw unreadable('a field has no name')
  const type = /^content-type:\s*([^\r\n]*)$/im.exec(head)?.[1]?.trim() ?? ''
  return { name, fileName: extendedName(disposition) ?? parameter(disposition, 'filename'), type, body }
}

/** Reads a parameter of Content-Disposition. Browsers escape a quote as `%22`, other clients as `\"`. */
function parameter(disposition: string, name: string): string | null {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(disposition)
  if (!found) return null
  return (found[1] ?? found[2]!).replaceAll('\\"', '"').replaceAll('%22', '"')
}

/** Reads an encoded file name such as `filename*=UTF-8''%E4%BD%A0.pdf`. */
function extendedName(disposition: string): string | null {
  const encoded = /;\s*filename\*=UTF-8''([^;\s]*)/i.exec(disposition)?.[1]
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded)
  } catch {
    return null
  }
}

const unreadable = (why: string): Failure =>
  new Failure('input.invalid', `the form cannot be read: ${why}; it must be multipart/form-data`)
