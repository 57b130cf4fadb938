// Parses extraction rules from YAML or JSON. Errors name a line and column.
import type { Document, LineCounter, Node } from 'yaml'
import { protoKeyIn, reservedKeyText } from '../../lib/json/reserved-keys.ts'
import { mostProblems } from '../../lib/text/problems.ts'
import { yaml } from '../../lib/text/yaml.ts'
import { type ExtractionRules, extractionRules } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'
import { compileRules } from './compile-rules.ts'
import { type Problem, problemsOf } from './rules-problems.ts'

/** Maximum length of a file in characters. People do not write longer ones. */
const maxLength = 1_000_000

/** Validates the rules completely: rules that are accepted here also compile. */
export function parseRulesFile(text: string, filename: string): ExtractionRules {
  const file = new RulesFile(text, filename)
  const reserved = protoKeyIn(file.value)
  if (reserved !== null) {
    const message = `${reserved.join('.')}: ${reservedKeyText}`
    throw file.failure([{ path: reserved, message, atKey: true }])
  }
  const parsed = extractionRules.safeParse(file.value)
  const problems = parsed.success ? [] : problemsOf(parsed.error, file.value)
  problems.push(...selectorProblems(parsed.success ? parsed.data : soundPart(file.value, problems)))
  if (problems.length > 0 || !parsed.success) throw file.failure(problems)
  return parsed.data
}

/** The fields without problems, so that their selectors are checked in the same run. Null if no field is left. */
function soundPart(value: unknown, problems: readonly Problem[]): ExtractionRules | null {
  const { each, fields } = (value ?? {}) as { each?: unknown; fields?: Record<string, unknown> }
  if (typeof fields !== 'object' || fields === null) return null
  const wrong = new Set(problems.map(({ path }) => (path[0] === 'fields' ? path[1] : undefined)))
  const sound = Object.entries(fields).filter(([name]) => !wrong.has(name))
  const parsed = extractionRules.safeParse({
    fields: Object.fromEntries(sound),
    ...(typeof each === 'string' && { each }),
  })
  return parsed.success && sound.length > 0 ? parsed.data : null
}

/** Compiles all fields together. If that fails, compiles each alone, because the compiler stops at its first problem. */
function selectorProblems(rules: ExtractionRules | null): Problem[] {
  if (rules === null || compileProblem(rules) === null) return []
  const alone = Object.entries(rules.fields).map(([name, field]) => ({ ...rules, fields: { [name]: field } }))
  const problems = (alone.length > 0 ? alone : [rules]).flatMap(part => compileProblem(part) ?? [])
  const found = problems.length > 0 ? problems : [compileProblem(rules)!]
  return found.filter((one, at) => found.findIndex(other => other.message === one.message) === at)
}

function compileProblem(rules: ExtractionRules): Problem | null {
  try {
    compileRules(rules)
    return null
  } catch (error) {
    if (!(error instanceof Failure) || typeof error.details.path !== 'string') throw error
    return { path: error.details.path.split('.'), message: error.message, atKey: false }
  }
}

class RulesFile {
  readonly value: unknown
  readonly #filename: string
  readonly #lines: LineCounter = new (yaml().LineCounter)()
  readonly #document: Document

  constructor(text: string, filename: string) {
    this.#filename = filename
    if (text.length > maxLength) {
      throw new Failure('input.invalid', `${filename} is longer than ${maxLength} characters`, { filename })
    }
    this.#document = yaml().parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      version: '1.2',
    })
    const broken = this.#document.errors.map(({ pos, message }) => ({
      at: pos[0],
      message: firstSentence(message),
    }))
    if (broken.length > 0) throw this.#failureAt(broken)
    this.value = this.#read()
  }

  #read(): unknown {
    try {
      return this.#document.toJS({ maxAliasCount: 100 })
    } catch (cause) {
      throw this.#failureAt([{ at: 0, message: (cause as Error).message }])
    }
  }

  failure(problems: Problem[]): Failure {
    return this.#failureAt(
      problems.map(({ message, path, ...rest }) => ({
        at: this.#offsetOf({ message, path, ...rest }),
        message,
        path: path.join('.'),
      })),
    )
  }

  /** One problem per line, in file order. The details are those of the first problem. */
  #failureAt(problems: Array<{ at: number; message: string; path?: string }>): Failure {
    const placed = problems
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, message, path = '' }) => ({ ...this.#lines.linePos(at), message, path }))
    const shown = placed.slice(0, mostProblems)
    const lines = shown.map(({ line, col, message }) => `${this.#filename}:${line}:${col}: ${message}`)
    const rest = placed.length - shown.length
    if (rest > 0) lines.push(`and ${rest} more ${rest === 1 ? 'problem' : 'problems'}`)
    const { line, col, path } = placed[0]!
    const details = {
      ...{ filename: this.#filename, line, column: col, path },
      ...(shown.length > 1 && {
        problems: shown.map(({ col: column, ...rest }) => ({ ...rest, column })),
      }),
    }
    return new Failure('input.invalid', lines.join('\n'), details)
  }

  /** Position of the innermost node on the path that exists in the file. */
  #offsetOf({ path, atKey }: Problem): number {
    for (let length = path.length; length > 0; length--) {
      const found = atKey && length === path.length ? this.#keyAt(path) : this.#nodeAt(path.slice(0, length))
      if (found?.range) return found.range[0]
    }
    return this.#document.contents?.range?.[0] ?? 0
  }

  #nodeAt(path: string[]): Node | null {
    const found = this.#document.getIn(path, true)
    return yaml().isNode(found) ? found : this.#keyAt(path)
  }

  #keyAt(path: string[]): Node | null {
    const parent = path.length === 1 ? this.#document.contents : this.#document.getIn(path.slice(0, -1), true)
    const { isMap, isNode, isPair, isScalar } = yaml()
    if (!isMap(parent)) return null
    const pair = parent.items.find(
      item => isPair(item) && isScalar(item.key) && String(item.key.value) === path.at(-1),
    )
    return isNode(pair?.key) ? pair.key : null
  }
}

const firstSentence = (message: string): string => message.split('\n', 1)[0]!
