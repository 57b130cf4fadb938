// Charsets that are declared, undeclared, contradictory or wrong.
import { logo } from '../pages/files.ts'
import type { Misbehaviour } from './misbehaviour.ts'

export interface CharsetPage {
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
    'Header says UTF-8, meta says Shift_JIS, the header is right.',
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
    'The charset in quotes, oddly spelled.',
    'text/html;Charset="UTF-8"',
    document('Grüße'),
    'Grüße',
  ),
  row('utf-16le', 'UTF-16 with a byte order mark.', 'text/html', utf16('Grüße 日本語'), 'Grüße 日本語'),
  row('utf-16be', 'The other UTF-16.', 'text/html', utf16('Grüße 日本語').swap16(), 'Grüße 日本語'),
  row(
    'mark-wins',
    'A UTF-8 byte order mark, but the header says windows-1252.',
    'text/html; charset=windows-1252',
    Buffer.concat([Buffer.from('\ufeff'), document('Grüße')]),
    'Grüße',
  ),
  row(
    'utf-16-meta',
    'Meta says UTF-16, which is impossible in a meta tag: decoded as UTF-8.',
    'text/html',
    document('Grüße', 'utf-16'),
    'Grüße',
  ),
  row(
    'unknown-name',
    'A charset that does not exist; meta helps.',
    'text/html; charset=klingon-1',
    document('Grüße', 'utf-8'),
    'Grüße',
  ),
  row(
    'lying',
    'Claims UTF-8, is windows-1252: the broken bytes are visible.',
    'text/html; charset=utf-8',
    document(Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65])),
    'Gr��e',
  ),
  row('undeclared', 'UTF-8 without any declaration.', 'text/html', document('Grüße'), null),
  row('no-content-type', 'No content type either.', null, document('Grüße', 'utf-8'), 'Grüße'),
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
    says: 'An image with the type of HTML.',
    answer: () => ({ headers: { 'content-type': 'text/html' }, body: logo() }),
  },
  {
    path: '/html-as-binary',
    says: 'HTML with the type of a program.',
    answer: () => ({ headers: { 'content-type': 'application/octet-stream' }, body: document('Hello') }),
  },
  {
    path: '/html-as-plain-text',
    says: 'HTML with the type of plain text.',
    answer: () => ({ headers: { 'content-type': 'text/plain' }, body: document('Hello') }),
  },
  {
    path: '/attachment',
    says: 'HTML to be saved, not shown.',
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
