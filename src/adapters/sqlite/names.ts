// Repeated words (hosts, reasons, owners, blob keys). Each is stored once, and rows refer to it by number.
import type { Connection } from './connection.ts'

/** The number that means "no word". It is not NULL, so that a row does not grow when it gets a word. */
export const noName = 2

/** Size of the cache. A job may have a million hosts. */
const rememberedNames = 50_000

export class Names {
  readonly #connection: Connection
  readonly #ids = new Map<string, number>()
  readonly #texts = new Map<number, string>()

  constructor(connection: Connection) {
    this.#connection = connection
    connection.onRollback(() => this.#forget())
  }

  /** The number of a word. Adds a new word, so it may only be called inside a write. */
  idOf(text: string): number {
    return this.#ids.get(text) ?? this.find(text) ?? this.#insert(text)
  }

  /** The number of a word; null if the word is not stored. */
  find(text: string): number | null {
    const known = this.#ids.get(text)
    if (known !== undefined) return known
    const row = this.#connection.one<{ id: number }>('SELECT id FROM names WHERE text = ?', text)
    return row ? this.#remember(row.id, text) : null
  }

  textOf(id: number): string {
    const known = this.#texts.get(id)
    if (known !== undefined) return known
    const row = this.#connection.one<{ text: string }>('SELECT text FROM names WHERE id = ?', id)
    this.#remember(id, row!.text)
    return row!.text
  }

  #insert(text: string): number {
    const { lastInsertRowid } = this.#connection.prepare('INSERT INTO names (text) VALUES (?)').run(text)
    return this.#remember(Number(lastInsertRowid), text)
  }

  #remember(id: number, text: string): number {
    if (this.#ids.size >= rememberedNames) this.#forget()
    this.#ids.set(text, id)
    this.#texts.set(id, text)
    return id
  }

  #forget(): void {
    this.#ids.clear()
    this.#texts.clear()
  }
}
