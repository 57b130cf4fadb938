// A cache of results for class names and ids. Pages of a site share names, so most results are already cached.

const longestKnown = 200

/** Stores at most `most` results and discards all of them when it is full. Results of long names are not stored. */
export class NameCache<Answer> {
  readonly #answers = new Map<string, Answer>()
  readonly #most: number
  readonly #answer: (name: string) => Answer

  constructor(most: number, answer: (name: string) => Answer) {
    this.#most = most
    this.#answer = answer
  }

  of(name: string): Answer {
    const known = this.#answers.get(name)
    if (known !== undefined) return known
    const answer = this.#answer(name)
    if (name.length <= longestKnown) this.#keep(name, answer)
    return answer
  }

  #keep(name: string, answer: Answer): void {
    if (this.#answers.size >= this.#most) this.#answers.clear()
    // Copy the name: a slice would keep the whole page in memory.
    this.#answers.set(Buffer.from(name, 'utf16le').toString('utf16le'), answer)
  }
}
