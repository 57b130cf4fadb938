// The parameters of a recording: values that the user typed. Each is named after its field, and rows can replace it.
import type { RecordedStepOf } from '../model/page/recording.ts'
import { readSelector, type SelectorAlternative } from '../model/page/selector-text.ts'
import { hasTemplate } from '../model/page/templates.ts'

export interface Parameter {
  /** The column of a row that replaces the recorded value. */
  name: string
  /** The recorded value; null for a password, which is never shown. */
  recorded: string | null
  /** Number of the step in the recording, from 1. */
  step: number
}

/** Names the fields of one recording. The same field always gets the same name; different fields get different names. */
export class ParameterNames {
  readonly #nameOf = new Map<string, string>()
  readonly parameters: Parameter[] = []

  /** The parameter name for a typed value. Null if the value is already a template. */
  nameOf({ selectors, value }: RecordedStepOf<'change'>, step: number): string | null {
    if (hasTemplate(value)) return null
    const field = JSON.stringify(selectors)
    const known = this.#nameOf.get(field)
    const name = known ?? this.#free(fieldName(selectors) ?? 'value')
    this.#nameOf.set(field, name)
    const shown = { name, recorded: isPassword(selectors, name) ? null : value, step }
    if (known === undefined) this.parameters.push(shown)
    else this.parameters[this.parameters.findIndex(each => each.name === name)] = shown
    return name
  }

  #free(name: string): string {
    const taken = new Set(this.#nameOf.values())
    let free = name
    for (let number = 2; taken.has(free); number++) free = `${name}_${number}`
    return free
  }
}

/** The name of a field: its visible label, else its form name, else its id. Null if it has none. */
function fieldName(selectors: SelectorAlternative[]): string | null {
  const last = selectors.map(each => (typeof each === 'string' ? each : each.at(-1)!))
  for (const find of [labelIn, nameIn, idIn]) {
    for (const selector of last) {
      const name = slug(find(selector))
      if (name !== '') return name
    }
  }
  return null
}

function labelIn(selector: string): string {
  const { kind, text } = readSelector(selector)
  return kind === 'aria' ? text.replace(/\[[^\]]*\]/g, '') : ''
}

const nameIn = (selector: string): string =>
  /\[(?:name|data-testid|data-test|placeholder)\s*=\s*\\?["']?([^"'\]\\]+)/.exec(selector)?.[1] ?? ''

const idIn = (selector: string): string =>
  /#([\w-]+)[^#]*$/.exec(selector)?.[1] ?? /@id\s*=\s*["']([^"']+)/.exec(selector)?.[1] ?? ''

const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60)

const isPassword = (selectors: SelectorAlternative[], name: string): boolean =>
  /pass(word|wort|code|phrase)?|secret|token|\bpin\b/i.test(name) ||
  /password/i.test(JSON.stringify(selectors))
