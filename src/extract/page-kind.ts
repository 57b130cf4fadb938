// Detects the kind of a page, from its declarations first, then from its shape.
import type { PageKind, PageKindVerdict } from '../model/page/page-kind.ts'
import { declaredTypes } from './declared-types.ts'
import type { PageFacts } from './page-facts.ts'
import type { PageShape } from './page-shape.ts'

export type { PageKindVerdict } from '../model/page/page-kind.ts'

/** Declared types of each kind, strongest kind first. A recipe is often declared an article too, and an article may
 *  review a product. */
const kindsOfTypes: ReadonlyArray<[PageKind, RegExp]> = [
  ['recipe', /^recipe$/],
  ['discussion', /^(?:discussionforumposting|qapage)$/],
  ['article', /^(?!tech)\w*(?:article|blogposting)$|^(?:report|criticreview|claimreview)$/],
  ['documentation', /^(?:techarticle|apireference)$/],
  ['product', /^(?:product|productgroup|individualproduct|productmodel)$/],
  ['listing', /^(?:collectionpage|searchresultspage|offercatalog|blog)$/],
]

/** This many things of one kind form a list. */
const manyThings = 4

const documentationGenerator =
  /sphinx|docusaurus|mkdocs|gitbook|vuepress|vitepress|javadoc|rustdoc|doxygen|antora|mdbook/i
const forumGenerator = /discourse|phpbb|vbulletin|xenforo|flarum|mybb|vanilla|nodebb|simple machines/i

/** Uses structured data and meta elements if they exist, otherwise the shape of the page. */
export function pageKind(facts: PageFacts): PageKindVerdict {
  const { shape } = facts
  const declared = declaredKind(facts, shape)
  const verdict = declared ?? shapedKind(shape)
  return mayBeRecipe.has(verdict.kind) ? (recipeByShape(shape) ?? verdict) : verdict
}

function declaredKind(facts: PageFacts, shape: PageShape): PageKindVerdict | null {
  const types = declaredTypes(facts)
  for (const [kind, names] of kindsOfTypes) {
    const found = [...types].filter(([name]) => names.test(name))
    const things = found.reduce((sum, [, times]) => sum + times, 0)
    if (things === 0) continue
    const named = found.map(([name]) => name).join(', ')
    if (
      things >= manyThings &&
      kind !== 'listing' &&
      !(kind === 'article' && shape.stretchLength >= someProse)
    )
      return { kind: 'listing', sure: false, why: `structured data lists ${things} things (${named})` }
    if (kind === 'listing' && isProse(shape)) continue
    return { kind, sure: true, why: `structured data says ${named}` }
  }
  return fromMeta(facts, shape)
}

function fromMeta(facts: PageFacts, shape: PageShape): PageKindVerdict | null {
  const generator = facts.meta.get('generator')?.join(' ') ?? ''
  if (documentationGenerator.test(generator))
    return { kind: 'documentation', sure: true, why: `its generator is ${generator}` }
  if (forumGenerator.test(generator))
    return { kind: 'discussion', sure: false, why: `its generator is ${generator}` }
  const type = facts.meta.get('og:type')?.[0]?.trim().toLowerCase() ?? ''
  if (/^(?:og:)?product\b/.test(type)) return { kind: 'product', sure: true, why: `og:type is ${type}` }
  if (type === 'article' || facts.meta.has('article:published_time'))
    return { kind: 'article', sure: isProse(shape), why: 'og:type or article:published_time says article' }
  return null
}

/** Kinds that may in fact be recipes. For example, blogs declare their recipes as articles. */
const mayBeRecipe: ReadonlySet<PageKind> = new Set<PageKind>(['article', 'other'])
const recipeClass =
  /(?:^|\s)(?:single-recipes?|recipes?-template|recipe-page|page-recipe|type-recipes?|recipes?-single)(?:$|[\s-])/i

function recipeByShape({ namesIngredients, bodyClass }: PageShape): PageKindVerdict | null {
  if (namesIngredients) return { kind: 'recipe', sure: false, why: 'a separate line says "Ingredients"' }
  return recipeClass.test(bodyClass)
    ? { kind: 'recipe', sure: false, why: 'the class of the body says recipe' }
    : null
}

/** A short article has at least this many characters of running text. */
const someProse = 800
const muchProse = 1_000

const isProse = ({ proseLength, linkLength }: PageShape): boolean =>
  proseLength >= someProse && proseLength > linkLength

function shapedKind(shape: PageShape): PageKindVerdict {
  const { proseLength, linkLength, textLength, codeLength, stretchLength } = shape
  const lengths = `${proseLength} characters of running text, ${linkLength} in links, ${codeLength} of code`
  if (codeLength > 200 && codeLength * 4 > proseLength)
    return { kind: 'documentation', sure: false, why: lengths }
  if (proseLength >= muchProse && (proseLength > linkLength || stretchLength >= someProse))
    return { kind: 'article', sure: false, why: lengths }
  if (linkLength * 2 > textLength && linkLength > someProse && linkLength > proseLength * 2)
    return { kind: 'listing', sure: false, why: lengths }
  return { kind: 'other', sure: false, why: lengths }
}
