// Regular expressions over URLs that match in linear time, because all alternatives are followed at once.
import { Failure } from '../model/failures.ts'

type Takes = (code: number) => boolean

/** Parts of a parsed expression. */
type Part =
  | { is: 'one'; takes: Takes }
  | { is: 'start' | 'end' | 'nothing' }
  | { is: 'all' | 'any'; parts: Part[] }
  | { is: 'repeat'; part: Part; least: number; most: number }

const mostStates = 5_000
const mostNesting = 50

/** Whether the expression matches anywhere in a text. Throws `input.invalid` for unsupported syntax: lookaround and
 *  backreferences. */
export function compileLinearRegex(source: string): (text: string) => boolean {
  const states = new States(source)
  const start = states.add(new Reader(source).read(), states.accepting)
  return text => states.isIn(text, start)
}

class Reader {
  readonly #source: string
  #at = 0
  #depth = 0

  constructor(source: string) {
    this.#source = source
  }

  read(): Part {
    const part = this.#alternatives()
    if (this.#at < this.#source.length) throw refused(this.#source, `")" at ${this.#at + 1} closes nothing`)
    return part
  }

  #alternatives(): Part {
    this.#depth += 1
    if (this.#depth > mostNesting) throw refused(this.#source, 'groups are nested too deeply')
    const parts = [this.#sequence()]
    while (this.#takes('|')) parts.push(this.#sequence())
    this.#depth -= 1
    return parts.length === 1 ? parts[0]! : { is: 'any', parts }
  }

  #sequence(): Part {
    const parts: Part[] = []
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!))
      parts.push(this.#repeated())
    return { is: 'all', parts }
  }

  #repeated(): Part {
    let part = this.#atom()
    for (;;) {
      const bounds = this.#bounds()
      if (!bounds) return part
      part = { is: 'repeat', part, ...bounds }
      // Ignore a lazy mark: it does not change whether there is a match.
      this.#takes('?')
    }
  }

  #bounds(): { least: number; most: number } | null {
    if (this.#takes('*')) return { least: 0, most: Number.POSITIVE_INFINITY }
    if (this.#takes('+')) return { least: 1, most: Number.POSITIVE_INFINITY }
    if (this.#takes('?')) return { least: 0, most: 1 }
    const counted = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(this.#source.slice(this.#at))
    if (!counted) return null
    this.#at += counted[0].length
    const least = Number(counted[1])
    if (counted[2] === undefined) return { least, most: least }
    const most = counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3])
    if (most < least) throw refused(this.#source, `${counted[0]} has a maximum below its minimum`)
    return { least, most }
  }

  #atom(): Part {
    const character = this.#source[this.#at]!
    this.#at += 1
    switch (character) {
      case '^':
        return { is: 'start' }
      case '$':
        return { is: 'end' }
      case '.':
        return { is: 'one', takes: code => code !== 10 && code !== 13 }
      case '(':
        return this.#group()
      case '[':
        return { is: 'one', takes: this.#set() }
      case '\\':
        return { is: 'one', takes: this.#escaped() }
      case '*':
      case '+':
      case '?':
        throw refused(this.#source, `"${character}" at ${this.#at} has nothing to repeat`)
      default:
        return { is: 'one', takes: exactly(character) }
    }
  }

  #group(): Part {
    if (this.#takes('?')) {
      const named = /^<[A-Za-z_]\w*>/.exec(this.#source.slice(this.#at))
      if (named) this.#at += named[0].length
      else if (!this.#takes(':')) throw refused(this.#source, groupProblem(this.#source.slice(this.#at)))
    }
    const part = this.#alternatives()
    if (!this.#takes(')')) throw refused(this.#source, 'a "(" is not closed')
    return part
  }

  #set(): Takes {
    const isNot = this.#takes('^')
    const ranges: Takes[] = []
    for (let isFirst = true; isFirst || this.#source[this.#at] !== ']'; isFirst = false) {
      if (this.#at >= this.#source.length) throw refused(this.#source, 'a "[" is not closed')
      if (isFirst && this.#source[this.#at] === ']') break
      ranges.push(this.#range())
    }
    this.#at += 1
    return code => ranges.some(takes => takes(code)) !== isNot
  }

  #range(): Takes {
    const from = this.#member()
    const isRange = this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']'
    if (!isRange || typeof from !== 'number') return typeof from === 'number' ? code => code === from : from
    this.#at += 1
    const to = this.#member()
    if (typeof to !== 'number' || to < from)
      throw refused(this.#source, 'a range in "[…]" ends before it starts')
    return code => code >= from && code <= to
  }

  #member(): number | Takes {
    const character = this.#source[this.#at]
    if (character === undefined) throw refused(this.#source, 'a "[" is not closed')
    this.#at += 1
    if (character !== '\\') return character.charCodeAt(0)
    const next = this.#source[this.#at]
    const isPlain = next !== undefined && !/[A-Za-z0-9]/.test(next)
    if (!isPlain) return this.#escaped()
    this.#at += 1
    return next.charCodeAt(0)
  }

  #escaped(): Takes {
    const character = this.#source[this.#at]
    this.#at += 1
    if (character === undefined) throw refused(this.#source, 'it ends with "\\"')
    const named = classes[character]
    if (named) return named
    if (/[A-Za-z0-9]/.test(character)) throw refused(this.#source, `"\\${character}" is not supported`)
    return exactly(character)
  }

  #takes(character: string): boolean {
    if (this.#source[this.#at] !== character) return false
    this.#at += 1
    return true
  }
}

/** Why a group that starts with "(?" is refused. `rest` follows the question mark. */
function groupProblem(rest: string): string {
  const flags = /^[a-zA-Z-]+(?=[:)])/.exec(rest)?.[0]
  if (flags?.includes('i'))
    return `"(?${flags})" ignores letter case, which is not supported; name both cases, like "[Aa]"`
  if (flags !== undefined) return `"(?${flags})" sets flags, which are not supported`
  const around = /^<?[=!]/.exec(rest)?.[0]
  if (around !== undefined) return `"(?${around}" is a lookaround, which is not supported`
  return `"(?${rest.slice(0, 2)}" is not a supported group; use "(…)" or "(?:…)"`
}

const exactly = (character: string): Takes => {
  const wanted = character.charCodeAt(0)
  return code => code === wanted
}

const isDigit: Takes = code => code >= 48 && code <= 57
const isWord: Takes = code =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95
const isSpace: Takes = code => /\s/.test(String.fromCharCode(code))
const classes: Readonly<Record<string, Takes>> = {
  d: isDigit,
  w: isWord,
  s: isSpace,
  D: code => !isDigit(code),
  W: code => !isWord(code),
  S: code => !isSpace(code),
  t: code => code === 9,
  n: code => code === 10,
  r: code => code === 13,
}

const refused = (source: string, why: string): Failure =>
  new Failure('input.invalid', `the regular expression "${source.slice(0, 200)}" is invalid: ${why}`, {
    source,
  })

/** A state of the matcher: it consumes a character, tests for the start or end of the text, or forks to other states. */
type State =
  | { is: 'one'; takes: Takes; next: number }
  | { is: 'start' | 'end'; next: number }
  | { is: 'fork'; to: number[] }
  | { is: 'accepting' }

class States {
  readonly #states: State[] = [{ is: 'accepting' }]
  readonly #source: string
  readonly accepting = 0

  constructor(source: string) {
    this.#source = source
  }

  /** Adds states that match `part` and then continue at `next`. Returns the first of them. */
  add(part: Part, next: number): number {
    switch (part.is) {
      case 'one':
        return this.#push({ is: 'one', takes: part.takes, next })
      case 'start':
      case 'end':
        return this.#push({ is: part.is, next })
      case 'nothing':
        return next
      case 'all':
        return part.parts.reduceRight((after, inner) => this.add(inner, after), next)
      case 'any':
        return this.#push({ is: 'fork', to: part.parts.map(inner => this.add(inner, next)) })
      case 'repeat':
        return this.#repeat(part.part, part.least, part.most, next)
    }
  }

  #repeat(part: Part, least: number, most: number, next: number): number {
    let after = next
    if (most === Number.POSITIVE_INFINITY) {
      const fork: State = { is: 'fork', to: [next] }
      after = this.#push(fork)
      fork.to.push(this.add(part, after))
    } else
      for (let extra = least; extra < most; extra += 1)
        after = this.#push({ is: 'fork', to: [next, this.add(part, after)] })
    for (let count = 0; count < least; count += 1) after = this.add(part, after)
    return after
  }

  #push(state: State): number {
    if (this.#states.length >= mostStates) throw refused(this.#source, 'it is too large')
    return this.#states.push(state) - 1
  }

  isIn(text: string, start: number): boolean {
    let current = new Set<number>()
    for (let at = 0; at <= text.length; at += 1) {
      this.#enter(start, at, text.length, current)
      if (current.has(this.accepting)) return true
      const next = new Set<number>()
      const code = text.charCodeAt(at)
      for (const index of current) {
        const state = this.#states[index]!
        if (state.is === 'one' && at < text.length && state.takes(code))
          this.#enter(state.next, at + 1, text.length, next)
      }
      current = next
    }
    return current.has(this.accepting)
  }

  /** Adds a state to `into`, and all states that are reachable from it without consuming a character. */
  #enter(first: number, at: number, length: number, into: Set<number>): void {
    const open = [first]
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (into.has(index)) continue
      into.add(index)
      const state = this.#states[index]!
      if (state.is === 'fork') open.push(...state.to)
      else if ((state.is === 'start' && at === 0) || (state.is === 'end' && at === length))
        open.push(state.next)
    }
  }
}
