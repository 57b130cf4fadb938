// Tests how the encoding of a page is chosen: byte order mark, header, declaration in the document, UTF-8, then detection.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMultibyteEncoder } from '@exodus/bytes/multi-byte.js'
import { createSinglebyteEncoder } from '@exodus/bytes/single-byte.js'
import type { Page } from '../../../model/page/page.ts'
import { decodeText } from './charset.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

const textOf = (body: Buffer, contentType: string | null, finalUrl = 'https://example.com/') =>
  decodeText({
    headers: contentType === null ? [] : [['content-type', contentType]],
    body,
    finalUrl,
  } as unknown as Page)

const multiByte = new Set(['shift_jis', 'euc-jp', 'iso-2022-jp', 'euc-kr', 'gbk', 'gb18030', 'big5'])

const encode = (text: string, encoding: string): Buffer =>
  Buffer.from(
    multiByte.has(encoding)
      ? createMultibyteEncoder(encoding)(text)
      : createSinglebyteEncoder(encoding)(text),
  )

/** A page whose markup and menus are English, with the given text in between. */
const pageIn = (encoding: string, text: string, { lang = '', head = '' } = {}): Buffer =>
  encode(
    `<!DOCTYPE html><html${lang && ` lang="${lang}"`}><head>${head}<title>${text}</title><script>function f(x) { return x + 1 }</script>` +
      `</head><body><ul class="menu"><li><a href="/">Home</a><li><a href="/about">About</a></ul><p id="text">${text}</p>` +
      '<div class="footer">All rights reserved. Powered by Press</div></body></html>',
    encoding,
  )

test('the charset of the Content-Type header is used, in any letter case', () => {
  for (const type of [
    'text/html; charset=iso-8859-1',
    'text/html;CHARSET="Latin1"',
    "text/html; charset='l1'",
  ]) {
    assert.equal(textOf(latin1('café'), type), 'café')
  }
  assert.equal(textOf(Buffer.from('日本'), 'text/html; charset=utf8'), '日本')
})

test('ISO-8859-1 is read as windows-1252', () => {
  assert.equal(textOf(Buffer.from([0x93, 0x68, 0x69, 0x94]), 'text/html; charset=iso-8859-1'), '“hi”')
})

test('a byte order mark wins over the header and is not part of the text', () => {
  const utf8 = Buffer.from('\uFEFFhé')
  assert.equal(textOf(utf8, 'text/html; charset=iso-8859-1'), 'hé')
  assert.equal(textOf(utf8, 'text/html; charset=utf-8'), 'hé')
  assert.equal(textOf(Buffer.from('\uFEFFhé', 'utf16le'), 'text/html; charset=utf-8'), 'hé')
})

test('a page without a header charset uses its meta charset', () => {
  const shiftJis = Buffer.concat([
    Buffer.from('<meta charset=shift_jis><p>'),
    Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
  ])
  assert.match(textOf(shiftJis, 'text/html'), /日本$/)
  const old = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>\xcc\xe8\xf0'
  assert.match(textOf(latin1(old), 'text/html'), /Мир$/)
})

test('a page without a declared charset is UTF-8 if its bytes are valid, even if its last character is cut off', () => {
  assert.equal(textOf(Buffer.from('naïve — 日本'), null), 'naïve — 日本')
  const cut = Buffer.from('Это страница о погоде в Москве и других городах').subarray(0, -1)
  assert.match(textOf(cut, 'text/html'), /^Это страница .* городах?/)
})

/** Sentences with their language, and the legacy encodings that pages in this language used. */
const sentences: [encodings: string, lang: string, text: string][] = [
  ['windows-1251 koi8-r iso-8859-5 ibm866', 'ru', 'Сегодня в городе открылась новая библиотека.'],
  ['windows-1251 koi8-u', 'uk', 'Сьогодні у місті відкрилася нова бібліотека, їх тепер багато.'],
  ['windows-1253 iso-8859-7', 'el', 'Σήμερα άνοιξε στην πόλη μια νέα βιβλιοθήκη.'],
  ['windows-1255 iso-8859-8', 'he', 'היום נפתחה בעיר ספרייה חדשה. התושבים יכולים לשאול ספרים בחינם.'],
  ['windows-1256 iso-8859-6', 'ar', 'افتتحت اليوم مكتبة جديدة في المدينة. يمكن للسكان استعارة الكتب مجانا.'],
  ['windows-874', 'th', 'วันนี้มีการเปิดห้องสมุดแห่งใหม่ในเมือง'],
  ['windows-1254', 'tr', 'Bugün şehirde yeni bir kütüphane açıldı, çocuklar için ayrı bir bölüm var.'],
  [
    'windows-1250 iso-8859-2',
    'cs',
    'Dnes byla ve městě otevřena nová knihovna. Obyvatelé si mohou půjčovat knihy.',
  ],
  [
    'windows-1250 iso-8859-2',
    'pl',
    'Dziś w mieście otwarto nową bibliotekę. Mieszkańcy mogą wypożyczać książki.',
  ],
  [
    'windows-1257',
    'lv',
    'Šodien pilsētā atklāta jauna bibliotēka. Iedzīvotāji var bez maksas aizņemties grāmatas.',
  ],
  ['windows-1252', 'de', 'Heute wurde eine neue Bücherei eröffnet, außer für Schüler.'],
  ['windows-1252', 'it', 'Oggi in città è stata aperta una nuova biblioteca.'],
  ['windows-1252', 'en', '© 2010 The Company – “20°C”, £35 » café'],
  [
    'shift_jis euc-jp iso-2022-jp',
    'ja',
    '新しい図書館が町に開館しました。住民は無料で本を借りることができます。',
  ],
  ['euc-kr', 'ko', '오늘 시내에 새 도서관이 문을 열었습니다.'],
  ['gbk', 'zh', '新的图书馆今天在城里开放，居民可以免费借书。'],
  ['big5', 'zh', '新的圖書館今天在城裡開幕，居民可以免費借書。'],
]

test('an undeclared legacy encoding is detected from the text of the page', () => {
  for (const [encodings, , text] of sentences)
    for (const encoding of encodings.split(' '))
      assert.ok(textOf(pageIn(encoding, text), 'text/html').includes(`>${text}<`), `${encoding}: ${text}`)
})

test('if the text is too short, the language of the page, or else the country of its host, decides between encodings', () => {
  assert.match(textOf(pageIn('windows-1250', 'čitati', { lang: 'hr' }), 'text/html'), /čitati/)
  assert.match(textOf(pageIn('shift_jis', '会社概要'), 'text/html', 'https://example.co.jp/'), /会社概要/)
  // English text is detected as English, even on a Russian host.
  assert.match(
    textOf(pageIn('windows-1252', 'A café – £5'), 'text/html', 'https://example.ru/'),
    /A café – £5/,
  )
})

test('a meta charset after the first 1,024 bytes is used, as in browsers', () => {
  for (const [encoding, text] of [
    ['koi8-r', 'Мир'],
    ['shift_jis', '天気'],
  ] as const) {
    const head = `<style>${'a{color:red}'.repeat(200)}</style><meta http-equiv="content-type" content="text/html; charset=${encoding}">`
    assert.ok(textOf(pageIn(encoding, text, { head }), 'text/html').includes(`>${text}<`))
  }
})

test('HTML without a header or meta charset uses the encoding of its XML declaration', () => {
  const page = Buffer.concat([
    Buffer.from('<?xml version="1.0" encoding="euc-jp"?>'),
    pageIn('euc-jp', '天気'),
  ])
  assert.match(textOf(page, 'text/html'), />天気</)
})

test('valid UTF-8 is read as UTF-8 although the header or meta names another encoding', () => {
  const page = Buffer.from('<meta charset="iso-8859-1"><p>Grüße — 日本</p>')
  assert.match(textOf(page, 'text/html'), /Grüße — 日本/)
  assert.match(textOf(page, 'text/html; charset=ISO-8859-1'), /Grüße — 日本/)
  assert.match(
    textOf(Buffer.from('这是一个关于天气的网页。今天多云'), 'text/html; charset=gbk'),
    /天气的网页/,
  )
  // These GBK bytes happen to be valid UTF-8 too.
  assert.equal(textOf(encode('联通', 'gbk'), 'text/html; charset=gbk'), '联通')
})

test('links of a legacy page have their query in its encoding and their path in UTF-8', () => {
  const link = (text: string) => /href="([^"]*)"/.exec(text)?.[1]
  const linked = (encoding: string, href: string) =>
    link(textOf(encode(`<a href="${href}">x</a>`, encoding), `text/html; charset=${encoding}`))
  assert.equal(linked('shift_jis', '/検索?q=天気&amp;p=1#先頭'), '/検索?q=%93V%8BC&amp;p=1#先頭')
  assert.equal(linked('windows-1251', 'https://example.com/?q=мир'), 'https://example.com/?q=%EC%E8%F0')
  assert.equal(linked('windows-1251', 'mailto:a@example.com?subject=мир'), 'mailto:a@example.com?subject=мир')
  assert.equal(linked('windows-1252', '?q=é€'), '?q=%E9%80')
  assert.equal(link(textOf(Buffer.from('<a href="?q=é">x</a>'), 'text/html; charset=utf-8')), '?q=é')
})

test('XML uses the encoding of its declaration, and JSON is always UTF-8', () => {
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

test('text with an unknown charset is still decoded', () => {
  assert.equal(textOf(Buffer.from('héllo'), 'text/html; charset=klingon'), 'héllo')
  assert.equal(textOf(Buffer.from('héllo'), 'text/html; charset=iso-2022-kr'), 'héllo')
})

test('invalid bytes become replacement characters, never an error', () => {
  assert.equal(textOf(latin1('a\xe9b'), 'text/html; charset=utf-8'), 'a\uFFFDb')
})
