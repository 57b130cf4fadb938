// Bytes to text: marks before headers, headers before what the document says, UTF-8 when nobody says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from '../../model/page.ts'
import { decodeText } from './charset.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

const textOf = (body: Buffer, contentType: string | null) =>
  decodeText({
    headers: contentType === null ? [] : [['content-type', contentType]],
    body,
  } as unknown as Page)

test('the charset of the header is used, however it is written', () => {
  for (const type of [
    'text/html; charset=iso-8859-1',
    'text/html;CHARSET="Latin1"',
    "text/html; charset='l1'",
  ]) {
    assert.equal(textOf(latin1('café'), type), 'café')
  }
  assert.equal(textOf(Buffer.from('日本'), 'text/html; charset=utf8'), '日本')
})

test('windows-1252 is meant when ISO-8859-1 is said', () => {
  assert.equal(textOf(Buffer.from([0x93, 0x68, 0x69, 0x94]), 'text/html; charset=iso-8859-1'), '“hi”')
})

test('a byte order mark outweighs the header and is not part of the text', () => {
  const utf8 = Buffer.from('\uFEFFhé')
  assert.equal(textOf(utf8, 'text/html; charset=iso-8859-1'), 'hé')
  assert.equal(textOf(utf8, 'text/html; charset=utf-8'), 'hé')
  assert.equal(textOf(Buffer.from('\uFEFFhé', 'utf16le'), 'text/html; charset=utf-8'), 'hé')
})

test('a page without a header charset is read as its meta says', () => {
  const shiftJis = Buffer.concat([
    Buffer.from('<meta charset=shift_jis><p>'),
    Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
  ])
  assert.match(textOf(shiftJis, 'text/html'), /日本$/)
  const old = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>\xcc\xe8\xf0'
  assert.match(textOf(latin1(old), 'text/html'), /Мир$/)
})

test('an undeclared page is UTF-8 when its bytes are, else windows-1252', () => {
  assert.equal(textOf(Buffer.from('naïve — 日本'), null), 'naïve — 日本')
  assert.equal(textOf(latin1('na\xefve'), 'text/html'), 'naïve')
})

test('XML is read by its declaration, JSON as UTF-8', () => {
  assert.match(
    textOf(latin1('<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>'), 'application/xml'),
    /é/,
  )
  assert.equal(textOf(Buffer.from('{"a":"é"}'), 'application/json'), '{"a":"é"}')
  assert.equal(
    textOf(Buffer.from('{"m":"<meta charset=utf-16>é"}'), 'application/ld+json'),
    '{"m":"<meta charset=utf-16>é"}',
  )
})

test('a charset nobody knows does not keep the text from being read', () => {
  assert.equal(textOf(Buffer.from('héllo'), 'text/html; charset=klingon'), 'héllo')
  assert.equal(textOf(Buffer.from('héllo'), 'text/html; charset=iso-2022-kr'), 'héllo')
})

test('bytes that do not fit become replacement characters, never an error', () => {
  assert.equal(textOf(latin1('a\xe9b'), 'text/html; charset=utf-8'), 'a\uFFFDb')
})
