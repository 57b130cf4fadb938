// Memory for the numbers of a survey, used again for every page. Arrays outside V8's heap are dear to make and to collect:
// without this, they took an eighth of the time of a survey.

/** Room for pages of some 40,000 nodes is kept; larger pages get arrays of their own. */
const keptNumbers = 1 << 19

class SurveyRoom {
  #kept = new Int32Array(1 << 14)
  #used = 0

  /** All arrays that were given out may now be given out again. */
  clear(): void {
    this.#used = 0
  }

  /** So many zeroes. */
  numbers(length: number): Int32Array {
    return this.uncleared(length).fill(0)
  }

  bytes(length: number): Uint8Array {
    const { buffer, byteOffset } = this.numbers((length + 3) >> 2)
    return new Uint8Array(buffer, byteOffset, length)
  }

  /** So many numbers, with whatever is in them. */
  uncleared(length: number): Int32Array {
    const start = this.#used
    this.#used += length
    if (this.#used <= this.#kept.length) return this.#kept.subarray(start, start + length)
    if (this.#used <= keptNumbers) {
      // The arrays given out before keep the old memory.
      this.#kept = new Int32Array(Math.min(keptNumbers, this.#used * 2))
      this.#used = 0
      return this.uncleared(length)
    }
    return new Int32Array(length)
  }
}

export const surveyRoom = new SurveyRoom()
