// Charsets that are declared, undeclared, contradictory or wrong.
import { logo } from '../pages/files.ts'
import type { Misbehaviour } from './misbehaviour.ts'

interface CharsetPage {
  path: string
  says: string
  contentType: string | null
  body: Buffer
  /** The content of `#text` after decoding by the WHATWG rules; null if the rules do not define it. */
  text: string | null
}

/** 日本語 in Shift_JIS, which Node cannot encode. */
const japaneseShiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea])
/** The characters “é” – € in windows-1252. */
const quotedWindows1252 = Buffer.from([0x93, 0xe9, 0x94, 0x20, 0x96, 0x20, 0x80])

function document(text: string | Buffer, meta = ''): Buffer {
  const declared = meta === '' ? '' : `<meta charset="${meta}">`
  const start = Buffer.from(
    `<!DOCTYPE html><html><head>${declared}<title>Charset</title></head><body><p id="text">`,
  )
  return Buffer.concat([start, Buffer.from(text), Buffer.from('</p></body></html>\n')])
}

const utf16 = (text: string) => Buffer.from(`\ufeff${document(text).toString()}`, 'utf16le')

export const charsetPages: CharsetPage[] = [
  row(
    'conflict',
    'The header says UTF-8, the meta tag says Shift_JIS; the header is right.',
    'text/html; charset=utf-8',
    document('日本語', 'shift_jis'),
    '日本語',
  ),
  row(
    'shift-jis-meta',
    'Only the meta tag names the charset.',
    'text/html',
    document(japaneseShiftJis, 'shift_jis'),
    '日本語',
  ),
  row(
    'shift-jis-header',
    'Only the header names the charset.',
    'text/html; charset=Shift_JIS',
    document(japaneseShiftJis),
    '日本語',
  ),
  row(
    'windows-1252',
    'Declared in the header.',
    'text/html; charset=windows-1252',
    document(quotedWindows1252),
    '“é” – €',
  ),
  row(
    'latin1',
    'Claims ISO-8859-1, which browsers decode as windows-1252.',
    'text/html; charset=ISO-8859-1',
    document(quotedWindows1252),
    '“é” – €',
  ),
  row(
    'quoted',
    'The parameter is written Charset="UTF-8": with a capital letter and quotes.',
    'text/html;Charset="UTF-8"',
    document('Grüße'),
    'Grüße',
  ),
  row('utf-16le', 'UTF-16 with a byte order mark.', 'text/html', utf16('Grüße 日本語'), 'Grüße 日本語'),
  row('utf-16be', 'The other UTF-16.', 'text/html', utf16('Grüße 日本語').swap16(), 'Grüße 日本語'),
  row(
    'mark-wins',
    'The header says windows-1252, but the body starts with a UTF-8 byte order mark.',
    'text/html; charset=windows-1252',
    Buffer.concat([Buffer.from('\ufeff'), document('Grüße')]),
    'Grüße',
  ),
  row(
    'utf-16-meta',
    'The meta tag says UTF-16, which is impossible there, so browsers decode the page as UTF-8.',
    'text/html',
    document('Grüße', 'utf-16'),
    'Grüße',
  ),
  row(
    'unknown-name',
    'The header names a charset that does not exist; the meta tag names the right one.',
    'text/html; charset=klingon-1',
    document('Grüße', 'utf-8'),
    'Grüße',
  ),
  row(
    'lying',
    'The header says UTF-8, but the body is windows-1252; its invalid bytes become replacement characters.',
    'text/html; charset=utf-8',
    document(Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65])),
    'Gr��e',
  ),
  row('undeclared', 'UTF-8 without any declaration.', 'text/html', document('Grüße'), null),
  row(
    'no-content-type',
    'No content type; only the meta tag names the charset.',
    null,
    document('Grüße', 'utf-8'),
    'Grüße',
  ),
]

function row(
  name: string,
  says: string,
  contentType: string | null,
  body: Buffer,
  text: string | null,
): CharsetPage {
  return { path: `/charset/${name}`, says, contentType, body, text }
}

const nulBytes = Buffer.from('<!DOCTYPE html><title>N\0ul</title><p id="text">a\0b</p>')

export const charsets: Misbehaviour[] = [
  ...charsetPages.map(({ path, says, contentType, body }) => ({
    path,
    says,
    answer: () => ({ headers: contentType === null ? {} : { 'content-type': contentType }, body }),
  })),
  {
    path: '/binary-as-html',
    says: 'An image with the content type of HTML.',
    answer: () => ({ headers: { 'content-type': 'text/html' }, body: logo() }),
  },
  {
    path: '/html-as-binary',
    says: 'HTML with the content type of binary files.',
    answer: () => ({ headers: { 'content-type': 'application/octet-stream' }, body: document('Hello') }),
  },
  {
    path: '/html-as-plain-text',
    says: 'HTML with the content type of plain text.',
    answer: () => ({ headers: { 'content-type': 'text/plain' }, body: document('Hello') }),
  },
  {
    path: '/attachment',
    says: 'HTML as an attachment, which browsers save instead of showing it.',
    answer: () => ({
      headers: { 'content-type': 'text/html', 'content-disposition': 'attachment; filename="page.html"' },
      body: document('Hello'),
    }),
  },
  {
    path: '/nul-bytes',
    says: 'NUL bytes in the text.',
    answer: () => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: nulBytes }),
  },
]
