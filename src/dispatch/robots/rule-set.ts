// The rules for one agent, indexed for fast lookup even with fifty thousand rules.
import { compileWildcards, isPlainStart, pathOf, patternOf, type Spellings } from './path-pattern.ts'

interface Rule {
  allows: boolean
  /** Length of the percent-encoded pattern. The rule with the longest pattern decides. */
  length: number
  /** The rule as text for messages: `Disallow: /private (line 3)`. */
  line: string
}

interface WildcardRule extends Rule {
  matches(path: Spellings): boolean
}

/** Rules without wildcards. Their patterns are path prefixes. A lookup tries one prefix of the path for each pattern length. */
class Starts {
  readonly #rules: Map<string, Rule> = new Map()
  readonly #lengths: Set<number> = new Set()

  add(start: string, rule: Rule): void {
    this.#lengths.add(start.length)
    this.#rules.set(start, stronger(this.#rules.get(start), rule))
  }

  strongestFor(path: string): Rule | undefined {
    let strongest: Rule | undefined
    for (const length of this.#lengths) {
      if (length > path.length) continue
      const rule = this.#rules.get(path.slice(0, length))
      if (rule !== undefined) strongest = stronger(strongest, rule)
    }
    return strongest
  }
}

/** The rule that decides: the rule with the longer pattern. If both are equally long, the rule that allows. */
function stronger(one: Rule | undefined, other: Rule): Rule {
  if (one === undefined || one.length < other.length) return other
  return one.length === other.length && other.allows ? other : one
}

/** The rules for one agent. An Allow matches only as written. A Disallow matches every percent-encoding: `/%7Ejoe` also
 *  forbids `/~joe`. google/robotstxt and RFC 9309 differ here; this class is never more permissive than either. */
export class RuleSet {
  readonly #given = new Starts()
  readonly #normal = new Starts()
  readonly #wildcards: WildcardRule[] = []

  add(kind: 'allow' | 'disallow', value: string, line: string): void {
    const pattern = patternOf(value)
    const rule: Rule = { allows: kind === 'allow', length: pattern.given.length, line }
    if (!isPlainStart(value)) this.#wildcards.push(wildcardRule(rule, pattern))
    else {
      this.#given.add(pattern.given, rule)
      if (!rule.allows) this.#normal.add(pattern.normal, rule)
    }
  }

  /** The rule that decides about a URL (or a path with query). Undefined if no rule matches. */
  strongestFor(urlOrPath: string): Rule | undefined {
    const path = pathOf(urlOrPath)
    let strongest = this.#given.strongestFor(path.given)
    const forbidding = this.#normal.strongestFor(path.normal)
    if (forbidding !== undefined) strongest = stronger(strongest, forbidding)
    for (const rule of this.#wildcards) {
      if (stronger(strongest, rule) === rule && rule.matches(path)) strongest = rule
    }
    return strongest
  }
}

function wildcardRule(rule: Rule, pattern: Spellings): WildcardRule {
  const matchesGiven = compileWildcards(pattern.given)
  if (rule.allows) return { ...rule, matches: path => matchesGiven(path.given) }
  const matchesNormal = compileWildcards(pattern.normal)
  return { ...rule, matches: path => matchesNormal(path.normal) || matchesGiven(path.given) }
}
