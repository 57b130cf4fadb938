// Globs over URLs: `**` matches anything, `*` within a path segment, `?` one character, {a,b} one of several. Matching takes linear
// time.
import { Failure } from '../model/failures.ts'
import { compileLinearRegex } from './linear-regex.ts'

export interface Glob {
  readonly source: string
  matches(url: string): boolean
}

/** A token is a character code (0 or more), or one of these constants. */
const anything = -1
/** `**` between slashes: any number of whole segments, even none. */
const segments = -2
const withinSegment = -3
const oneCharacter = -4

const slash = 0x2f
const maxAlternatives = 256

/** Compiles a glob. A glob that starts with `/` is matched with the path. A glob without a slash is matched with the
 *  last path segment. Any other glob is matched with the whole URL, and its scheme is optional. Each glob is tried with
 *  and without the query. `re:…` is a regular expression that may match anywhere in the path, `re-url:…` anywhere in
 *  the URL. `not-re:…` is the negation of `re:…`. */
export function compileGlob(source: string): Glob {
  if (source.startsWith('re:')) return regexGlob(source, source.slice(3), pathOf)
  if (source.startsWith('not-re:')) return negated(source, regexGlob(source, source.slice(7), pathOf))
  if (source.startsWith('re-url:')) return regexGlob(source, source.slice(7), url => url)
  const alternatives = expandBraces(source).flatMap(withFolderItself).map(compileAlternative)
  const onPath = source.startsWith('/')
  return {
    source,
    matches(url) {
      const text = onPath ? pathOf(url) : url
      const queryAt = text.indexOf('?')
      const bare = queryAt < 0 ? text : text.slice(0, queryAt)
      return alternatives.some(matches => matches(bare) || (queryAt >= 0 && matches(text)))
    },
  }
}

function regexGlob(source: string, written: string, part: (url: string) => string): Glob {
  const isIn = compileLinearRegex(written)
  return { source, matches: url => isIn(part(url)) }
}

const negated = (source: string, { matches }: Glob): Glob => ({ source, matches: url => !matches(url) })

const pathOf = (url: string): string => url.slice(url.indexOf('/', url.indexOf('//') + 2))

/** Expands braces: `a{b,c}d` becomes `abd` and `acd`. Braces may be nested. A brace without its partner is a plain character. */
function expandBraces(source: string): string[] {
  const done: string[] = []
  const open = [rooted(source)]
  while (open.length > 0) {
    const next = open.pop()!
    const group = /(?<!\\)\{([^{}]*)\}/.exec(next)
    if (group === null) done.push(next)
    else {
      const before = next.slice(0, group.index)
      const after = next.slice(group.index + group[0].length)
      for (const choice of group[1]!.split(',')) open.push(before + choice + after)
    }
    if (open.length + done.length > maxAlternatives) throw tooMany(source)
  }
  return done
}

function rooted(source: string): string {
  if (source.startsWith('/') || source.startsWith('**') || source.includes('://')) return source
  return source.includes('/') ? `*://${source}` : `**/${source}`
}

function tooMany(source: string): Failure {
  const message = `the glob "${source}" expands to more than ${maxAlternatives} patterns; use fewer {a,b} groups`
  return new Failure('input.invalid', message, { glob: source })
}

/** Adds the folder itself: `/cal/**` also matches `/cal`. */
function withFolderItself(pattern: string): string[] {
  const folder = /^(.+)\/\*{2,}$/s.exec(pattern)?.[1]
  return folder === undefined ? [pattern] : [pattern, folder]
}

function compileAlternative(pattern: string): (text: string) => boolean {
  const tokens = tokenize(pattern)
  const literal = longestLiteral(tokens)
  if (tokens.every(token => token >= 0)) return text => text === literal
  // Search the literal part first: most URLs do not contain it, and this search is faster than `walk`.
  return text => text.includes(literal) && walk(tokens, text)
}

function tokenize(pattern: string): number[] {
  const tokens: number[] = []
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index]!
    if (character === '\\' && index + 1 < pattern.length) tokens.push(pattern.charCodeAt(++index))
    else if (character === '?') tokens.push(oneCharacter)
    else if (character !== '*') tokens.push(...literalCodes(pattern, index))
    else if (pattern[index + 1] !== '*') tokens.push(withinSegment)
    else index = pushStars(tokens, pattern, index)
  }
  return tokens
}

function pushStars(tokens: number[], pattern: string, index: number): number {
  let last = index + 1
  while (pattern[last + 1] === '*') last++
  const before = tokens.at(-1)
  const opensSegment = before === undefined || before === slash || before === segments
  if (!opensSegment || pattern[last + 1] !== '/') {
    tokens.push(anything)
    return last
  }
  tokens.push(segments)
  return last + 1
}

/** The codes of a literal character. Characters beyond ASCII are percent-encoded, because canonical URLs are ASCII. */
function literalCodes(pattern: string, index: number): number[] {
  const code = pattern.codePointAt(index)!
  if (code < 128) return [code]
  const isSecondHalf = code >= 0xdc00 && code <= 0xdfff
  if (isSecondHalf) return []
  return [...Buffer.from(encodeURIComponent(String.fromCodePoint(code).toWellFormed()))]
}

function longestLiteral(tokens: number[]): string {
  let longest = ''
  let current = ''
  for (const token of tokens) {
    current = token >= 0 ? current + String.fromCharCode(token) : ''
    if (current.length > longest.length) longest = current
  }
  return longest
}

/** Matches tokens with text. It follows all alternatives at once: `reached[i]` is 1 if the text so far matches the first `i` tokens. */
function walk(tokens: number[], text: string): boolean {
  let reached = new Uint8Array(tokens.length + 1)
  let next = new Uint8Array(tokens.length + 1)
  reached[0] = 1
  passEmpty(tokens, reached, slash)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    next.fill(0)
    if (!eat(tokens, code, reached, next)) return false
    passEmpty(tokens, next, code)
    ;[reached, next] = [next, reached]
  }
  return reached[tokens.length] === 1
}

/** Marks the positions after stars as reached, because a star may match nothing. A `**` between slashes may end only
 *  after a slash. */
function passEmpty(tokens: number[], reached: Uint8Array, lastCode: number): void {
  for (let at = 0; at < tokens.length; at++) {
    if (reached[at] === 0) continue
    const token = tokens[at]!
    const mayEnd = token === anything || token === withinSegment || (token === segments && lastCode === slash)
    if (mayEnd) reached[at + 1] = 1
  }
}

function eat(tokens: number[], code: number, reached: Uint8Array, next: Uint8Array): boolean {
  let alive = false
  for (let at = 0; at < tokens.length; at++) {
    if (reached[at] === 0) continue
    const to = afterEating(tokens[at]!, code, at)
    if (to < 0) continue
    next[to] = 1
    alive = true
  }
  return alive
}

/** The position of the matcher after `token` has consumed a character; -1 if the token cannot consume it. */
function afterEating(token: number, code: number, at: number): number {
  if (token >= 0) return token === code ? at + 1 : -1
  if (token === anything || token === segments) return at
  if (code === slash) return -1
  return token === withinSegment ? at : at + 1
}
