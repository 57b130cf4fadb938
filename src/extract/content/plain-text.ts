// Writes a part of a page as plain text, with one line per block.
import { cleanText } from '../../lib/text/clean-text.ts'
import { blockTags } from '../block-elements.ts'
import { type FlatDocument, type NodeId, nameSet, tag } from '../document/index.ts'
import { codeText, isLineNumbers } from './code-text.ts'
import { formulaOf, mayHaveFormulas, writtenFormula } from './formulas.ts'
import type { Content } from './main-content.ts'
import { type PageTexts, pageTexts } from './page-texts.ts'

/** Cells of a table row stay on one line. */
const inRow = nameSet('td', 'th')

/** True between a number and its unit in adjacent elements. On the page, a style sheet creates the space between
 *  them. */
function isNextWord(document: FlatDocument, node: NodeId): boolean {
  let before = document.previousSibling(node)
  while (before >= 0 && document.kind(before) === 'comment') before = document.previousSibling(before)
  if (before < 0 || amounts[document.tag(before)] !== 1) return false
  return /^\p{L}{2}/u.test(document.text(node))
}

/** Elements of ruby readings. Browsers show them above the word, so they are not part of the sentence. */
const readings = nameSet('rt', 'rtc')

const amounts = nameSet('span', 'strong', 'b')

const isGutter = (document: FlatDocument, node: NodeId, id: number): boolean =>
  (id === tag.td || id === tag.pre) && isLineNumbers(document, node)

export function toPlainText(document: FlatDocument, content: Content): string {
  const line = new TextLine()
  const texts = pageTexts(document)
  const ends: NodeId[] = []
  const hasFormulas = mayHaveFormulas(document)
  const end = document.end(content.root)
  for (let node = content.root; node < end; node++) {
    while (ends.length > 0 && node >= ends[ends.length - 1]!) {
      ends.pop()
      line.end()
    }
    if (document.isText(node)) {
      if (content.isDropped(node)) continue
      if (texts.isClean(node)) line.addWords(texts, node)
      else line.addRaw(document.text(node))
    } else if (document.isElement(node)) {
      const id = document.tag(node)
      const formula = hasFormulas ? formulaOf(document, node, document.name(node)) : null
      // If the page contains no LaTeX source, the text of the MathML is more readable than converted LaTeX.
      if (formula?.isNoted) {
        line.addRaw(writtenFormula(formula))
        node = document.end(node) - 1
        continue
      }
      if (
        readings[id] === 1 ||
        content.isDropped(node) ||
        content.isBeside?.(node) ||
        isGutter(document, node, id)
      )
        node = document.end(node) - 1
      else if (id === tag.pre) {
        line.end()
        line.all.push(codeText(document, node))
        node = document.end(node) - 1
      } else if (inRow[id] === 1) line.addSpace()
      else if (blockTags[id] === 1) {
        line.end()
        ends.push(document.end(node))
      } else if (line.endsInDigit && isNextWord(document, node)) line.addSpace()
    }
  }
  line.end()
  return line.all.join('\n')
}

const zero = 48
const nine = 57

/** All finished lines, and the line that is being written. If possible, white space is collapsed during
 *  writing. */
class TextLine {
  readonly all: string[] = []
  #text = ''
  #needsSpace = false
  #isClean = true
  /** Code of the last character, or 0 if it is a space. Stored separately, because V8 would join the pieces
   *  of the line each time it reads a character. */
  #last = 0

  get endsInDigit(): boolean {
    return this.#last >= zero && this.#last <= nine
  }

  addSpace(): void {
    this.#needsSpace = true
    this.#last = 0
  }

  addWords(texts: PageTexts, node: NodeId): void {
    if (texts.hasLead(node)) this.addSpace()
    const words = texts.words(node)
    if (words === '') return
    this.#append(words)
    this.#last = words.charCodeAt(words.length - 1)
    if (texts.hasTrail(node)) this.addSpace()
  }

  addRaw(text: string): void {
    if (text === '') return
    this.#append(text)
    this.#isClean = false
    this.#last = text.charCodeAt(text.length - 1)
  }

  #append(text: string): void {
    if (this.#needsSpace && this.#text !== '') this.#text += ' '
    this.#needsSpace = false
    this.#text += text
  }

  end(): void {
    const text = this.#isClean ? this.#text : cleanText(this.#text)
    if (text !== '') this.all.push(text)
    this.#text = ''
    this.#needsSpace = false
    this.#isClean = true
    this.#last = 0
  }
}
