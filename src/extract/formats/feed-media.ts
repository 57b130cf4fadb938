// Media RSS and the iTunes fields of podcasts: files, images, durations and authors of an entry.
import type { Feed, FeedEntry } from './feed.ts'

type Attributes = Record<string, string>

/** Handles elements whose value is in an attribute. Returns true if the element is one of these. */
export function takeMedia(entry: FeedEntry, name: string, attributes: Attributes): boolean {
  const url = attributes.url ?? attributes.href ?? ''
  if (name === 'media:thumbnail' || name === 'itunes:image') entry.image ||= url
  else if (name === 'media:content' && url !== '') takeContent(entry, url, attributes)
  else return false
  return true
}

function takeContent(entry: FeedEntry, url: string, attributes: Attributes): void {
  const { type = '', fileSize: bytes = '', duration = '', medium = '' } = attributes
  if (type.startsWith('image/') || medium === 'image') entry.image ||= url
  if (entry.enclosures.every(known => known.url !== url)) entry.enclosures.push({ url, type, bytes })
  entry.duration ||= duration
}

/** Fields of the entry by element name, for elements whose value is their text. */
export const mediaFields: Readonly<Record<string, keyof FeedEntry>> = {
  'itunes:author': 'author',
  'itunes:duration': 'duration',
  'itunes:title': 'title',
  'itunes:summary': 'summary',
  'itunes:subtitle': 'summary',
  'media:title': 'title',
  'media:description': 'summary',
  'media:credit': 'author',
  'media:keywords': 'categories',
}

/** Takes the image of a channel from `<itunes:image href>`. The text of `<image><url>` is handled elsewhere. */
export function takeFeedImage(feed: Feed, name: string, attributes: Attributes): void {
  if (name === 'itunes:image') feed.image ||= attributes.href ?? ''
}
