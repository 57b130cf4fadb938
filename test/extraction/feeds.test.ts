// Tests feeds as real sites serve them: podcasts, videos, permalinks, and wrong content types.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatOf, looksLikeFeed } from '../../src/extract/formats/format-of.ts'
import { readTextual, textRecords } from '../../src/extract/formats/text.ts'
import { entryMarkdown, entryText, wholeFeed } from '../../src/model/page/feed-records.ts'
import { coerce } from '../../src/normalize/index.ts'

const url = 'https://tide.example/feed'
const notes = { url, finalUrl: url, status: 200, fetchedAt: 0 }
const recordsOf = (source: string, type = 'application/rss+xml') =>
  textRecords(notes, readTextual(type, source), coerce).map(({ data }) => data)

const podcast = `<?xml version="1.0"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Harbour hour</title>
<itunes:author>Harbour radio</itunes:author><itunes:image href="/cover.jpg"/><description>Talks &amp;amp; tides</description>
<image><url>/other.png</url><title>Not the feed's title</title><link>https://elsewhere.example/</link></image>
<item><title>Ropes</title><itunes:author>Ines Marlow</itunes:author><itunes:duration>1:02:03</itunes:duration>
<itunes:image href="/ropes.jpg"/><itunes:summary>All about ropes.</itunes:summary><guid>https://tide.example/ropes</guid>
<enclosure url="https://cdn.example/ropes.mp3" type="audio/mpeg" length="99"/></item>
<item><title>Knots</title><itunes:duration>95</itunes:duration><guid isPermaLink="false">https://tide.example/id/2</guid></item>
</channel></rss>`

test('a podcast gives audio, image, duration and author', () => {
  const [ropes, knots] = recordsOf(podcast)
  assert.equal(ropes!.audio, 'https://cdn.example/ropes.mp3')
  assert.equal(ropes!.image, 'https://tide.example/ropes.jpg')
  assert.equal(ropes!.duration_s, 3_723)
  assert.equal(ropes!.author, 'Ines Marlow')
  assert.equal(ropes!.text, 'All about ropes.')
  assert.equal(ropes!.link, 'https://tide.example/ropes')
  assert.deepEqual([knots!.link, knots!.author, knots!.duration_s], [null, 'Harbour radio', 95])
  assert.deepEqual(ropes!.feed, {
    title: 'Harbour hour',
    link: null,
    description: 'Talks & tides',
    author: 'Harbour radio',
    image: 'https://tide.example/cover.jpg',
  })
})

test('a media group in an Atom feed gives video, image and text', () => {
  const [entry] = recordsOf(
    `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><author><name>Tide TV</name></author>
    <entry><id>yt:1</id><title>Low water</title><link href="https://tv.example/1"/><media:group><media:title>Low water, again</media:title>
    <media:content url="https://tv.example/1.mp4" type="video/mp4" fileSize="12" duration="61"/>
    <media:thumbnail url="https://tv.example/1.jpg" width="480"/><media:description>Sand &lt; water</media:description>
    </media:group></entry></feed>`,
    'application/atom+xml',
  )
  assert.equal(entry!.title, 'Low water')
  assert.equal(entry!.video, 'https://tv.example/1.mp4')
  assert.equal(entry!.image, 'https://tv.example/1.jpg')
  assert.equal(entry!.duration_s, 61)
  assert.equal(entry!.description, 'Sand < water')
  assert.equal(entry!.author, 'Tide TV')
  assert.deepEqual(entry!.enclosures, [
    { url: 'https://tv.example/1.mp4', content_type: 'video/mp4', bytes: 12 },
  ])
})

test('the root element decides whether a file is a feed, not the content type', () => {
  assert.ok(looksLikeFeed(Buffer.from(podcast)))
  assert.ok(looksLikeFeed(Buffer.from('\uFEFF<?xml-stylesheet href="a.xsl"?><!-- hello --><rss>')))
  for (const start of [' \n<RSS>', '\u00a0<rdf:RDF ', '<Atom:feed xmlns="a"', '<!-- a --> <feed a xmlns=""'])
    assert.ok(looksLikeFeed(Buffer.from(start, 'latin1')), start)
  assert.ok(!looksLikeFeed(Buffer.from('<!doctype html><title>rss</title><rss></rss>')))
  assert.ok(!looksLikeFeed(Buffer.from('<feed>me</feed>')))
  assert.equal(formatOf('application/octet-stream', Buffer.from(podcast)), 'text')
  assert.equal(recordsOf(podcast, 'text/html').length, 2)
})

test('a feed without entries gives one record about the feed, with a warning', () => {
  const source =
    '<rss version="2.0"><channel><title>Tides</title><description>All of them</description></channel></rss>'
  const [record, ...others] = textRecords(notes, readTextual('application/rss+xml', source), coerce)
  assert.deepEqual(others, [])
  assert.equal(record!.data.title, 'Tides')
  assert.equal(record!.data.markdown, '# Tides\n\nAll of them')
  assert.ok(!('entry_id' in record!.data))
  assert.deepEqual(
    record!.warnings?.map(({ code }) => code),
    ['feed.empty'],
  )
  assert.match(record!.warnings![0]!.message, /https:\/\/tide\.example\/feed has no entries/)
})

test('all entries of a feed can be joined into one document', () => {
  const records = recordsOf(podcast)
  const whole = wholeFeed(records)!
  assert.equal(whole.title, 'Harbour hour')
  assert.match(
    String(whole.markdown),
    /^# Harbour hour\n\nTalks & tides\n\n## \[Ropes\]\(https:\/\/tide\.example\/ropes\)\n\n/,
  )
  assert.match(String(whole.markdown), /## Knots\n\nHarbour radio$/)
  assert.match(entryMarkdown(records[0]!), /- <https:\/\/cdn\.example\/ropes\.mp3>$/)
  assert.equal(entryText(records[1]!), 'Knots\nHarbour radio')
  assert.equal(wholeFeed([{ title: 'a page' }]), null)
})

test('a long feed gives all entries that come before elements with too deep nesting', () => {
  const entries = Array.from(
    { length: 2_000 },
    (_, n) => `<item><title>Tide &amp; ${n}</title><link>/${n}</link></item>`,
  )
  const records = recordsOf(`<rss><channel>${entries.join('')}<item>${'<a>'.repeat(100_000)}`)
  assert.deepEqual(
    records.map(({ title }) => title),
    entries.map((_, n) => `Tide & ${n}`),
  )
})
