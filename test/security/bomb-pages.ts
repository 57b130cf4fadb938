// Pages that are small to download but need very much memory or time: one for each way to crash the parser process.
import { gzipSync, zstdCompressSync } from 'node:zlib'

export interface Bomb {
  type: string
  body: () => Buffer | string
  encoding?: string
}

const html = (body: () => string): Bomb => ({ type: 'text/html; charset=utf-8', body })
const json = (body: () => string): Bomb => ({ type: 'application/json', body })
const xml = (body: () => string): Bomb => ({ type: 'application/xml', body })

const megabytes = (count: number, unit: string): string =>
  unit.repeat(Math.floor((count * 1_000_000) / unit.length))
const numbered = (count: number, unit: (index: number) => string, between = ''): string =>
  Array.from({ length: count }, (_, index) => unit(index)).join(between)
const ld = (data: string): string => `<title>x</title><script type="application/ld+json">${data}</script>`
const list = (count: number, unit: string): string => `[${megabytes(count, `${unit},`)}0]`
const nested = (open: string, inner: string, close: string, depth = 500): string =>
  open.repeat(depth) + inner + close.repeat(depth)
const words = (count: number): string => megabytes(count, 'word ')
const lines = (count: number): string => megabytes(count, '<br>a')

/** The pages, by name. */
export const bombPages: Record<string, Bomb> = {
  'json of empty objects': json(() => list(19, '{}')),
  'json of empty lists': json(() => list(19, '[]')),
  'json of short strings': json(() => list(19, '"a"')),
  'json of numbers': json(() => list(19, '1.5')),
  'json of many keys': json(() => `{${numbered(1_000_000, index => `"k${index}":0`, ',')}}`),
  'json of many levels': json(() => `${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}`),
  'json that is one string': json(() => `"${words(19)}\u20ac"`),
  'json feed of empty items': json(
    () => `{"version":"https://jsonfeed.org/version/1.1","title":"x","items":${list(19, '{}')}}`,
  ),
  'json-ld of empty objects': html(() => ld(list(19, '{}'))),
  'json-ld of typed objects': html(() => ld(list(19, '{"@type":"a"}'))),
  'json-ld of broken objects': html(() => ld(list(19, '{,}'))),
  'json-ld in many blocks': html(() => megabytes(19, ld(list(0.001, '{}')))),
  'json-ld of references': html(() =>
    ld(`[{"@id":"a","x":${list(0.5, '{"@id":"b"}')}},{"@id":"b","x":${list(0.5, '{"@id":"a"}')}}]`),
  ),
  'wide html': html(() => megabytes(2, '<i>')),
  'wide html of paragraphs': html(() => megabytes(8, '<p>a')),
  'deep html': html(() => megabytes(2, '<div>')),
  'deep html around text': html(() => nested('<div>', words(2), '</div>')),
  'deep headings': html(() => nested('<h1><div><h2><div>', words(1), '', 200)),
  'deep quotes': html(() => nested('<blockquote>', lines(1), '</blockquote>')),
  'deep lists': html(() => nested('<ul><li>', lines(1), '')),
  'deep microdata': html(() =>
    nested('<div itemprop=a>', words(2), '</div>').replace('<div', '<div itemscope><div'),
  ),
  'deep microdata items': html(() => nested('<div itemscope itemprop=a>', words(1), '</div>')),
  'many microdata items': html(() => `<div itemscope>${megabytes(10, '<a itemprop=b itemscope>')}`),
  'microdata with references': html(
    () =>
      `${numbered(2_000, index => `<div itemscope itemref="${numbered(200, other => `i${(index + other) % 2_000}`, ' ')}" itemprop=p id=i${index}></div>`)}`,
  ),
  'deep rdfa': html(() =>
    nested('<div property=a>', words(2), '</div>').replace('<div', '<div typeof=x><div'),
  ),
  'many rdfa items': html(() => megabytes(10, '<a typeof=x property=y>')),
  'many links': html(() => numbered(500_000, index => `<a href=/${index}>x</a>`)),
  'links in links': html(() => megabytes(5, '<a href=x><p>')),
  'one long link': html(() => `<a href="/${words(10)}">x</a>`),
  'many attributes': html(() => `<p ${numbered(1_000_000, index => `a${index}=1`, ' ')}>x`),
  'many metas': html(() => numbered(300_000, index => `<meta name=m${index} content=x>`)),
  'many equal metas': html(() => megabytes(10, '<meta name=description content=x>')),
  'wide table': html(() => `<table><tr>${megabytes(1, '<td colspan=65534>a')}</table>`),
  'tall table': html(() => `<table>${megabytes(1, '<tr><td rowspan=65534>a')}</table>`),
  'large table of both': html(() => `<table>${megabytes(1, '<tr><td rowspan=1000 colspan=1000>a')}</table>`),
  'tables in tables': html(() => nested('<table><tr><td>', lines(0.5), '', 150)),
  'wide row over many': html(
    () => `<table><tr>${'<td>a'.repeat(5_000)}${megabytes(0.2, '<tr><td>b')}</table>`,
  ),
  // The page is smaller than 1 MB, so a lane parses it itself.
  'formulas without an end': html(() => `<title>x</title><p>${megabytes(0.9, '\\(')}`),
  'one formula without an end': html(() => `<title>x</title><p>$${megabytes(0.9, '_')}`),
  'code of images without an end': html(() => `<title>x</title><pre>${megabytes(0.9, '![](data:')}`),
  'long srcset': html(() => `<img srcset="${numbered(300_000, index => `/${index}.png ${index}w`, ',')}">`),
  'srcdoc in srcdoc': html(() => `<iframe srcdoc="${words(10)}"></iframe>`),
  'many tag names': html(() => numbered(400_000, index => `<x-${index}>`)),
  entities: html(() => megabytes(15, '&CounterClockwiseContourIntegral;')),
  'formatting without end': html(
    () => `<p>${numbered(400, index => `<b id=${index}>`)}${'<p>x'.repeat(20_000)}`,
  ),
  'misnested tables': html(() => megabytes(3, '<table><b><div>')),
  'one comment': html(() => `<!--${words(19)}`),
  'wide code': html(() => `<pre>${megabytes(10, '`')}</pre>`),
  emphasis: html(() => megabytes(5, '<b>*</b><i>_</i>')),
  'text of escapes': html(() => `<p>${megabytes(10, '*_[]`#')}`),
  'feed of entries': xml(() => `<rss><channel>${megabytes(19, '<item/>')}</channel></rss>`),
  'feed of long entries': xml(
    () => `<rss><channel>${megabytes(19, '<item><title>a</title><link>/x</link></item>')}</channel></rss>`,
  ),
  'deep xml': xml(() => `<rss><channel><item>${megabytes(10, '<a>')}`),
  'xml of entities': xml(
    () =>
      `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">${numbered(9, index => `<!ENTITY a${index} "${`&a${index || ''};`.repeat(10)}">`)}]><rss><channel><title>&a8;</title></channel></rss>`,
  ),
  'plain text': { type: 'text/plain; charset=utf-8', body: () => `${words(19)}\u20ac` },
  'text of controls': { type: 'text/plain', body: () => megabytes(19, '\u0001a') },
  csv: { type: 'text/csv', body: () => megabytes(19, ',') },
  'sitemap in place of a page': xml(
    () => `<urlset>${megabytes(19, '<url><loc>http://a/</loc></url>')}</urlset>`,
  ),
  'pdf of nothing': { type: 'application/pdf', body: () => `%PDF-1.7\n${words(19)}` },
  'gzip bomb': { type: 'text/html', encoding: 'gzip', body: () => gzipSync(Buffer.alloc(300_000_000, 97)) },
  'zstd bomb': {
    type: 'text/html',
    encoding: 'zstd',
    body: () => zstdCompressSync(Buffer.alloc(300_000_000, 97)),
  },
  archive: { type: 'application/gzip', body: () => gzipSync(Buffer.alloc(300_000_000)) },
}
