// Reads a file of extraction rules, YAML or JSON. What is wrong with it is said with its line and column.
import { type Document, isMap, isNode, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml'
import { protoKeyIn, reservedKeyText } from '../../lib/reserved-keys.ts'
import { type ExtractionRules, extractionRules } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'
import { compileRules } from './compile-rules.ts'
import { type Problem, problemsOf } from './rules-problems.ts'

/** Longer files are not written by or for people. */
const maxLength = 1_000_000

/** The rules, checked in full: a file that is accepted compiles. */
export function parseRulesFile(text: string, filename: string): ExtractionRules {
  const file = new RulesFile(text, filename)
  const reserved = protoKeyIn(file.value)
  if (reserved !== null) {
    const message = `${reserved.join('.')}: ${reservedKeyText}`
    throw file.failure([{ path: reserved, message, atKey: true }])
  }
  const parsed = extractionRules.safeParse(file.value)
  if (!parsed.success) throw file.failure(problemsOf(parsed.error, file.value))
  try {
    compileRules(parsed.data)
  } catch (error) {
    if (!(error instanceof Failure) || typeof error.details.path !== 'string') throw error
    throw file.failure([{ path: error.details.path.split('.'), message: error.message, atKey: false }], error)
  }
  return parsed.data
}

class RulesFile {
  readonly value: unknown
  readonly #filename: string
  readonly #lines = new LineCounter()
  readonly #document: Document

  constructor(text: string, filename: string) {
    this.#filename = filename
    if (text.length > maxLength) {
      throw new Failure('input.invalid', `${filename} is longer than ${maxLength} characters`, { filename })
    }
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, version: '1.2' })
    const [broken] = this.#document.errors
    if (broken !== undefined) throw this.#failureAt(broken.pos[0], firstSentence(broken.message))
    this.value = this.#read()
  }

  #read(): unknown {
    try {
      return this.#document.toJS({ maxAliasCount: 100 })
    } catch (cause) {
      throw this.#failureAt(0, (cause as Error).message)
    }
  }

  /** The first problem by its place in the file; how many more there are is said too. */
  failure(problems: Problem[], cause?: Error): Failure {
    const placed = problems.map(problem => ({ ...problem, at: this.#offsetOf(problem) }))
    const first = placed.reduce((best, problem) => (problem.at < best.at ? problem : best))
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
    return this.#failureAt(first.at, `${first.message}${more}`, first.path.join('.'), cause)
  }

  #failureAt(offset: number, message: string, path = '', cause?: Error): Failure {
    const { line, col } = this.#lines.linePos(offset)
    const details = { filename: this.#filename, line, column: col, path }
    return new Failure('input.invalid', `${this.#filename}:${line}:${col}: ${message}`, details, { cause })
  }

  /** Of the nearest node on the path that is in the file at all. */
  #offsetOf({ path, atKey }: Problem): number {
    for (let length = path.length; length > 0; length--) {
      const found = atKey && length === path.length ? this.#keyAt(path) : this.#nodeAt(path.slice(0, length))
      if (found?.range) return found.range[0]
    }
    return this.#document.contents?.range?.[0] ?? 0
  }

  #nodeAt(path: string[]): Node | null {
    const found = this.#document.getIn(path, true)
    return isNode(found) ? found : this.#keyAt(path)
  }

  #keyAt(path: string[]): Node | null {
    const parent = path.length === 1 ? this.#document.contents : this.#document.getIn(path.slice(0, -1), true)
    if (!isMap(parent)) return null
    const pair = parent.items.find(
      item => isPair(item) && isScalar(item.key) && String(item.key.value) === path.at(-1),
    )
    return isNode(pair?.key) ? pair.key : null
  }
}

const firstSentence = (message: string): string => message.split('\n', 1)[0]!
