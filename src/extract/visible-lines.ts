// The text of a page line by line. The `marks` of a line are the names that the page gives to the elements
// around it.
import { cleanText } from '../lib/text/clean-text.ts'
import type { Line } from '../model/page/line.ts'
import { blockElements, unreadElements } from './block-elements.ts'
import type { FlatDocument, NodeId } from './document/index.ts'
import { gapBeforeRaised } from './element-text.ts'
import { elementsNamed } from './elements-named.ts'

/** Maximum number of lines per page. */
const mostLines = 4_000
/** Maximum number of enclosing blocks whose classes, ids and itemprops become marks of a line. */
const blocksAround = 3

interface Open {
  name: string
  end: NodeId
  isBlock: boolean
  marks: string
  isBeside: boolean
  datetime: string | null
}

/** A line whose text is being collected. */
interface Started {
  text: string
  /** Open elements at the start of the line, outermost first. */
  around: Open[]
  marks: Set<string>
  /** Number of characters that are part of links. */
  linked: number
  datetime: string | null
}

export function visibleLines(document: FlatDocument): Line[] {
  const lines: Line[] = []
  const headings = elementsNamed(document, 'h1')
  const open: Open[] = []
  let line: Started | null = null
  const flush = () => {
    const text = line === null ? '' : cleanText(line.text)
    if (line !== null && text !== '') lines.push(lineOf(text, line))
    line = null
  }
  for (let node = 1; node < document.size && lines.length < mostLines; node++) {
    while (open.length > 0 && node >= open.at(-1)!.end) if (open.pop()!.isBlock) flush()
    if (document.isText(node)) {
      const text = document.text(node)
      if (line === null && text.trim() === '') continue
      line ??= { text: '', around: [...open], marks: new Set(), linked: 0, datetime: null }
      line.text += text
      for (const element of open) line.marks.add(element.marks)
      if (open.some(({ name }) => name === 'a')) line.linked += text.replace(/\s/g, '').length
      line.datetime ??= open.findLast(({ datetime }) => datetime !== null)?.datetime ?? null
    } else if (document.isElement(node)) {
      const name = document.name(node)
      if (unreadElements.has(name)) {
        node = document.end(node) - 1
        continue
      }
      const isBlock = blockElements.has(name)
      if (isBlock) flush()
      else if (line !== null && name === 'sup') line.text += gapBeforeRaised(line.text, document.text(node))
      const hasHeading = headings.some(heading => heading > node && heading < document.end(node))
      open.push(openOf(document, node, name, isBlock, hasHeading, open.at(-1)))
    }
  }
  flush()
  return lines
}

/** Elements that wrap the whole page. Their names are ignored, because layouts name wrappers after their content:
 *  `class="with-sidebar"`. The same applies to elements around the heading. */
const wrappers = new Set(['html', 'body', 'main', 'article'])
const besideNames = new Set(['nav', 'aside', 'footer'])
const besideMarks =
  /(?:^|[\s_-])(?:nav(?:bar|igation)?|footer|sidebar|comments?|commentlist|respond|related|recommend(?:ed|ations)?|teasers?|breadcrumbs?|widget|menu|copyright)(?:$|[\s_-])/

function openOf(
  document: FlatDocument,
  node: NodeId,
  name: string,
  isBlock: boolean,
  hasHeading: boolean,
  outer: Open | undefined,
): Open {
  const marks = ['class', 'id', 'itemprop', 'rel']
    .map(attribute => document.attribute(node, attribute) ?? '')
    .filter(Boolean)
    .join(' ')
    .toLowerCase()
  const isBeside =
    outer?.isBeside ||
    besideNames.has(name) ||
    (!hasHeading && !wrappers.has(name) && besideMarks.test(marks))
  const datetime =
    name === 'time'
      ? document.attribute(node, 'datetime')
      : name === 'abbr' && /published|date/.test(marks)
        ? document.attribute(node, 'title')
        : null
  return { name, end: document.end(node), isBlock, marks, isBeside: isBeside === true, datetime }
}

function lineOf(text: string, { around, marks, linked, datetime }: Started): Line {
  const blocks = around.filter(({ isBlock }) => isBlock)
  const outer = new Set(blocks.slice(0, -blocksAround).map(element => element.marks))
  return {
    text,
    block: blocks.at(-1)?.name ?? '',
    marks: [...marks]
      .filter(mark => mark !== '' && !outer.has(mark))
      .reverse()
      .join(' '),
    isBeside: around.at(-1)?.isBeside ?? false,
    datetime,
    isLink: linked >= text.replace(/\s/g, '').length,
  }
}
