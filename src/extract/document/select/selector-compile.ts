// Compiles a CSS selector into chains that are matched against records.

import type { AttributeSelector, PseudoSelector, Selector as Token } from 'css-what'
import type { Failure } from '../../../model/failures.ts'
import type { Namespace } from '../namespaces.ts'
import { lowerCaseName, tagIds } from '../tags.ts'
import { type Chain, type Compound, combinator, type Selector, type Test } from './selector.ts'
import { parseSelector, refusal, type SyntaxChain } from './selector-syntax.ts'
import { caseInsensitiveValues, parseNth } from './selector-values.ts'

/** Compiles a selector. Invalid selectors are refused here, so extraction never fails because of them. Beyond standard
 *  CSS it supports `:contains("text")`, `:icontains("text")` (ignores case), and `::attr(name)` or `::text` at the
 *  end. */
export function compileSelector(css: string): Selector {
  const chains = parseSelector(css)
  const wanted = chains.map(chain => takeWanted(css, chain))
  const first = wanted[0]!
  if (wanted.some(other => other.attribute !== first.attribute || other.wantsText !== first.wantsText)) {
    throw refusal(css, 0, 'all parts of a list need the same ::attr(…) or ::text')
  }
  const compiler = new Compiler(css)
  return { source: css, alternatives: compiler.alternatives(chains), ...first }
}

/** Removes `::attr(href)` or `::text` from the end of a chain. Returns the attribute, and whether the text is
 *  wanted. */
function takeWanted(css: string, chain: SyntaxChain): { attribute: string | null; wantsText: boolean } {
  const last = chain.at(-1)!
  if (last.type !== 'pseudo-element') return { attribute: null, wantsText: false }
  chain.pop()
  if (chain.length === 0) chain.push({ type: 'universal', namespace: null } as Token)
  if (last.name === 'text' && last.data === null) return { attribute: null, wantsText: true }
  const attribute = last.data?.trim()
  if (last.name === 'attr' && attribute) return { attribute: lowerCaseName(attribute), wantsText: false }
  throw refusal(css, css.lastIndexOf('::'), `::${last.name} is not supported; use ::attr(name) or ::text`)
}

const combinators: Record<string, number> = {
  descendant: combinator.descendant,
  child: combinator.child,
  adjacent: combinator.adjacent,
  sibling: combinator.sibling,
}

class Compiler {
  private readonly css: string

  constructor(css: string) {
    this.css = css
  }

  /** Removes duplicate alternatives. */
  alternatives(chains: SyntaxChain[]): Chain[] {
    const unique = new Map(chains.map(chain => [JSON.stringify(chain), chain]))
    return [...unique.values()].map(chain => this.chain(chain))
  }

  private chain(tokens: SyntaxChain): Chain {
    const chain: Chain = { compounds: [emptyCompound()], combinators: [] }
    let isEmpty = true
    for (const token of tokens) {
      const kind = combinators[token.type]
      if (kind === undefined) this.add(chain.compounds[0]!, token)
      else {
        if (isEmpty) throw this.refuse(`"${this.css.trim().slice(0, 40)}" begins or ends with a combinator`)
        chain.compounds.unshift(emptyCompound())
        chain.combinators.unshift(kind)
      }
      isEmpty = kind !== undefined
    }
    if (isEmpty) throw this.refuse('a combinator at the end has nothing to its right', this.css.length)
    return chain
  }

  /** A chain inside `:has(…)`. It starts at the element to which `:has(…)` is applied. It may begin with a combinator,
   *  as in `> a`; the default is the descendant combinator. */
  private relative(tokens: SyntaxChain): Chain {
    const startsWithCombinator = combinators[tokens[0]!.type] !== undefined
    const leading = startsWithCombinator ? combinators[tokens[0]!.type]! : combinator.descendant
    const chain = this.chain(startsWithCombinator ? tokens.slice(1) : tokens)
    chain.compounds.push({ ...emptyCompound(), isAnchor: true })
    chain.combinators.push(leading)
    return chain
  }

  private add(compound: Compound, token: Token): void {
    switch (token.type) {
      case 'universal':
        this.addNamespace(compound, token.namespace)
        break
      case 'tag':
        this.addNamespace(compound, token.namespace)
        this.addName(compound, token.name)
        break
      case 'attribute':
        this.addAttribute(compound, token)
        break
      case 'pseudo':
        compound.tests.push(this.pseudo(token))
        break
      case 'pseudo-element':
        throw this.refuse(`::${token.name} is allowed only at the end, and only as ::attr(name) or ::text`)
      default:
        throw this.refuse(`the ${token.type} combinator is not supported; use a space, >, + or ~`)
    }
  }

  private addName(compound: Compound, name: string): void {
    this.checkName(name)
    const lower = lowerCaseName(name)
    compound.nameId = tagIds.get(lower) ?? 0
    compound.ownName = compound.nameId === 0 ? lower : null
  }

  /** css-what parses `.a` and `#a` as attributes that ignore case in quirks mode. This compiler always respects case. */
  private addAttribute(compound: Compound, token: AttributeSelector): void {
    const name = `${this.attributePrefix(token.namespace)}${lowerCaseName(token.name)}`
    this.checkName(lowerCaseName(token.name))
    const isShort = token.ignoreCase === 'quirks'
    if (isShort) this.checkName(token.value)
    if (isShort && name === 'class') compound.classes.push(token.value)
    else if (isShort && compound.id === null) compound.id = token.value
    else compound.tests.push(attributeTest(token, name))
  }

  /** Only common namespace prefixes are supported, because HTML pages declare none. */
  private addNamespace(compound: Compound, prefix: string | null): void {
    if (prefix === null || prefix === '*') return
    const namespace = elementPrefixes.get(prefix.toLowerCase())
    if (namespace === undefined)
      throw this.refuse(`the prefix "${prefix}|" is not supported; use html|, svg|, math| or *|`)
    compound.tests.push({ is: 'namespace', namespace })
  }

  /** The prefix of an attribute as pages write it: the selector `xlink|href` matches `xlink:href`. `|href`
   *  and `*|href` have no prefix. */
  private attributePrefix(prefix: string | null): string {
    if (!prefix || prefix === '*') return ''
    if (attributePrefixes.has(prefix.toLowerCase())) return `${prefix.toLowerCase()}:`
    throw this.refuse(
      `the prefix "${prefix}|" is not supported for attributes; use xlink|, xml|, xmlns| or *|`,
    )
  }

  private checkName(name: string): void {
    const isPlain = /^[-\w\u0080-\uffff]+$/.test(name)
    if (!isPlain && !this.css.includes('\\'))
      throw this.refuse(`"${name}" is not a name`, this.css.indexOf(name))
  }

  private pseudo(token: PseudoSelector): Test {
    const fixed = pseudosWithoutArgument[token.name]
    if (fixed !== undefined && token.data === null) return fixed
    if (token.name.startsWith('nth-') && typeof token.data === 'string')
      return this.nth(token.name, token.data)
    if (token.name === 'lang' && typeof token.data === 'string') return this.language(token.data)
    if (Array.isArray(token.data) && token.data.length > 0) return this.nested(token.name, token.data)
    if ((token.name === 'contains' || token.name === 'icontains') && typeof token.data === 'string') {
      const ignoreCase = token.name === 'icontains'
      return { is: 'text', text: ignoreCase ? token.data.toLowerCase() : token.data, ignoreCase }
    }
    throw this.refuse(
      `:${token.name} is not supported, or lacks its argument`,
      this.css.indexOf(`:${token.name}`),
    )
  }

  private nth(name: string, written: string): Test {
    const [, formula = written, list] = /^(.*?)\s+of\s+(\S.*)$/is.exec(written) ?? []
    const parsed = parseNth(formula)
    const known = nthPseudos[name]
    if (parsed === null || known === undefined || (list !== undefined && known.ofType)) {
      throw this.refuse(
        `:${name}(${written}) is not valid; write a number, odd, even or 2n+1${known?.ofType === false ? ', optionally followed by "of" and a selector for the siblings that count' : ''}`,
        this.css.indexOf(name),
      )
    }
    if (list === undefined) return { is: 'nth', ...parsed, ...known }
    const alternatives = this.alternatives(parseSelector(list))
    return { is: 'nth-of', ...parsed, fromEnd: known.fromEnd, alternatives }
  }

  private language(list: string): Test {
    const ranges = list.split(',').map(range =>
      range
        .trim()
        .replace(/^(["'])(.*)\1$/s, '$2')
        .toLowerCase(),
    )
    const wrong = ranges.find(
      range => !/^(?:\*|[a-z]{1,8})(?:-(?:\*|[a-z0-9]{1,8}))*$/.test(range) && range !== '',
    )
    if (wrong !== undefined || list.trim() === '')
      throw this.refuse(
        `:lang(${list}) does not name languages; write de, "*-CH" or a list of them`,
        this.css.indexOf(':lang'),
      )
    return { is: 'language', ranges }
  }

  private nested(name: string, chains: SyntaxChain[]): Test {
    if (name === 'has') return { is: 'containing', relatives: chains.map(chain => this.relative(chain)) }
    if (name === 'not') return { is: 'matching', alternatives: this.alternatives(chains), negated: true }
    if (name === 'is' || name === 'where' || name === 'matches') {
      return { is: 'matching', alternatives: this.alternatives(chains), negated: false }
    }
    throw this.refuse(`:${name}(…) is not supported`, this.css.indexOf(`:${name}`))
  }

  private refuse(why: string, at = 0): Failure {
    return refusal(this.css, Math.max(0, at), why)
  }
}

function emptyCompound(): Compound {
  return { nameId: 0, ownName: null, id: null, classes: [], tests: [], isAnchor: false }
}

function attributeTest(token: AttributeSelector, name: string): Test {
  const ignoreCase = token.ignoreCase === null ? caseInsensitiveValues.has(name) : token.ignoreCase === true
  const value = ignoreCase ? token.value.toLowerCase() : token.value
  return { is: 'attribute', name, operator: token.action, value, ignoreCase }
}

const firstOnly = { step: 0, offset: 1 }

const pseudosWithoutArgument: Record<string, Test> = {
  'first-child': { is: 'nth', ...firstOnly, ofType: false, fromEnd: false },
  'last-child': { is: 'nth', ...firstOnly, ofType: false, fromEnd: true },
  'first-of-type': { is: 'nth', ...firstOnly, ofType: true, fromEnd: false },
  'last-of-type': { is: 'nth', ...firstOnly, ofType: true, fromEnd: true },
  'only-child': { is: 'only', ofType: false },
  'only-of-type': { is: 'only', ofType: true },
  empty: { is: 'empty' },
  root: { is: 'root' },
  scope: { is: 'scope' },
  'any-link': { is: 'link' },
  // Matches all links, because it is unknown which links a user has visited.
  link: { is: 'link' },
  checked: { is: 'checked' },
  disabled: { is: 'disabled' },
  enabled: { is: 'enabled' },
}

const nthPseudos: Record<string, { ofType: boolean; fromEnd: boolean }> = {
  'nth-child': { ofType: false, fromEnd: false },
  'nth-last-child': { ofType: false, fromEnd: true },
  'nth-of-type': { ofType: true, fromEnd: false },
  'nth-last-of-type': { ofType: true, fromEnd: true },
}

const elementPrefixes = new Map<string, Namespace>([
  ['html', 'html'],
  ['xhtml', 'html'],
  ['svg', 'svg'],
  ['math', 'math'],
  ['mathml', 'math'],
])
const attributePrefixes = new Set(['xlink', 'xml', 'xmlns'])
