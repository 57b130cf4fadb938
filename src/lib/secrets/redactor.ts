// Removes known secrets from text before it is stored or shown.
import { cutMark, formsOf } from './secret-forms.ts'

export class Redactor {
  readonly #forms = new Set<string>()

  /** Removes this value from now on. Single characters are skipped, because removing them would mangle every text. */
  add(value: string): void {
    if (value.length < 2) return
    for (const form of formsOf(value)) if (form.length >= Math.min(value.length, 4)) this.#forms.add(form)
  }

  get isEmpty(): boolean {
    return this.#forms.size === 0
  }

  text(text: string): string {
    return this.#longestFirst().reduce((rest, form) => rest.replaceAll(form, cutMark), text)
  }

  /** Removes secrets from bytes of text. Returns the same bytes if they contain none. */
  bytes(bytes: Buffer): Buffer {
    if (this.isEmpty) return bytes
    const before = bytes.toString('latin1')
    const latin1 = (form: string) => Buffer.from(form).toString('latin1')
    const after = this.#longestFirst().reduce((rest, form) => rest.replaceAll(latin1(form), cutMark), before)
    return after === before ? bytes : Buffer.from(after, 'latin1')
  }

  /** Removes secrets from all strings of a value, including keys. */
  json<Value>(value: Value): Value {
    if (this.isEmpty) return value
    if (typeof value === 'string') return this.text(value) as Value
    if (Array.isArray(value)) return value.map(entry => this.json(entry)) as Value
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, entry]) => [this.text(key), this.json(entry)])
    return Object.fromEntries(entries) as Value
  }

  /** Longest forms first, so that a form that contains another one is removed as a whole. */
  #longestFirst(): string[] {
    return [...this.#forms].sort((a, b) => b.length - a.length)
  }
}
