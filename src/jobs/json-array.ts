// Streams the elements of a large JSON array.
import { Failure } from '../model/failures.ts'
import { type Line, maxLineLength } from './lines.ts'

/** The raw texts of the elements. The caller checks whether each text is JSON. */
export async function* arrayElements(chunks: AsyncIterable<string>, name: string): AsyncGenerator<Line[]> {
  const splitter = new ArraySplitter(name)
  for await (const chunk of chunks) {
    const elements = splitter.take(chunk)
    if (elements.length > 0) yield elements
  }
  splitter.end()
}

const code = { quote: 34, comma: 44, open: 91, backslash: 92, close: 93, openBrace: 123, closeBrace: 125 }

class ArraySplitter {
  readonly #name: string
  #place: 'before' | 'inside' | 'after' = 'before'
  /** Nesting depth within the current element. */
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** The beginning of the current element, from earlier chunks. */
  #begun = ''
  #isTooLong = false
  #seen = 0

  constructor(name: string) {
    this.#name = name
  }

  take(chunk: string): Line[] {
    const elements: Line[] = []
    let start = this.#place === 'before' ? this.#enter(chunk) : 0
    for (let at = start; at < chunk.length && this.#place === 'inside'; at += 1) {
      if (!this.#isEnd(chunk.charCodeAt(at))) continue
      const isLast = chunk.charCodeAt(at) === code.close
      this.#give(chunk.slice(start, at), elements, isLast)
      start = at + 1
      if (isLast) this.#place = 'after'
    }
    if (this.#place === 'inside') this.#keep(chunk.slice(start))
    else if (this.#place === 'after' && chunk.slice(start).trim() !== '')
      throw this.#broken('there is text after the end of the array')
    return elements
  }

  end(): void {
    if (this.#place === 'before')
      throw new Failure('input.invalid', `${this.#name} is not a JSON array of rows`, { path: this.#name })
    if (this.#place === 'inside')
      throw this.#broken(`the array is not closed; it ends after ${this.#seen} elements`)
  }

  /** Finds the start of the array, and returns the position of its first element. */
  #enter(chunk: string): number {
    const at = chunk.search(/[^\s\uFEFF]/)
    if (at < 0) return chunk.length
    if (chunk.charCodeAt(at) !== code.open)
      throw new Failure('input.invalid', `${this.#name} is not a JSON array of rows`, { path: this.#name })
    this.#place = 'inside'
    return at + 1
  }

  /** Whether the current element ends before this character. */
  #isEnd(char: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (char === code.backslash) this.#isEscaped = true
      else if (char === code.quote) this.#isInString = false
      return false
    }
    if (char === code.quote) this.#isInString = true
    else if (char === code.open || char === code.openBrace) this.#depth += 1
    else if (this.#depth === 0) return char === code.comma || char === code.close
    else if (char === code.close || char === code.closeBrace) this.#depth -= 1
    return false
  }

  #give(rest: string, elements: Line[], isLast: boolean): void {
    this.#keep(rest)
    const text = this.#begun.trim()
    // Skip the empty text after a trailing comma and in an empty array.
    if (text !== '' || !isLast) {
      elements.push({ text, tooLong: this.#isTooLong })
      this.#seen += 1
    }
    this.#begun = ''
    this.#isTooLong = false
  }

  #keep(text: string): void {
    if (!this.#isTooLong) this.#begun += text
    if (this.#begun.length <= maxLineLength) return
    this.#begun = this.#begun.slice(0, 200)
    this.#isTooLong = true
  }

  #broken(how: string): Failure {
    return new Failure('input.invalid', `${this.#name} is not JSON: ${how}`, { path: this.#name })
  }
}
