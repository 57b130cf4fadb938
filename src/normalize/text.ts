// Cleans text of records: one line, without markup, entities and control characters.
import { decodeHTML } from 'entities'
import { cleanText } from '../lib/text/clean-text.ts'

// No pattern here matches across the next "<", so that hostile text does not cause quadratic time.
const blockTag = /<(?:br|\/?(?:p|div|li|ul|ol|tr|table|h[1-6]|blockquote|section|article))\b[^<>]*>/gi
/** Raised digits after digits are cents or a footnote. They must not become part of the number, so a space replaces the
 *  tag. */
const raisedDigits = /(?<=\d)<sup\b[^<>]*>(?=\d)/gi
const anyTag = /<\/?[a-z][^<>]*>/gi

/** Maximum number of layers of escaping that are removed. */
const maxLayers = 20

/** Cleans text that may contain escaped markup, such as JSON-LD and meta elements. Decodes entities, removes tags and
 *  normalizes white space. */
export function stripHtml(text: string): string {
  let stripped = stripLayer(text)
  for (let layer = 1, before = text; stripped !== before && layer < maxLayers; layer++) {
    before = stripped
    stripped = stripLayer(stripped)
  }
  return stripped
}

function stripLayer(text: string): string {
  if (!text.includes('<') && !text.includes('&')) return cleanText(text)
  const markup = text.includes('<') ? text : decodeHTML(text)
  let seen = cutBetween(markup, '<!--', '-->')
  seen = cutBetween(seen, '<script', '</script>')
  seen = cutBetween(seen, '<style', '</style>')
  return cleanText(decodeHTML(seen.replace(blockTag, ' ').replace(raisedDigits, ' ').replace(anyTag, '')))
}

/** Removes text between the markers. If the end marker is missing, removes the rest. */
function cutBetween(text: string, from: string, to: string): string {
  const lower = text.toLowerCase()
  let start = lower.indexOf(from)
  if (start < 0) return text
  let kept = ''
  let position = 0
  while (start >= 0) {
    kept += text.slice(position, start)
    const end = lower.indexOf(to, start)
    if (end < 0) return kept
    position = end + to.length
    start = lower.indexOf(from, position)
  }
  return kept + text.slice(position)
}
