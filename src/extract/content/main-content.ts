// Finds the main content of a page: its root element, and the parts of it that are dropped.
import type { PageKind, PageKindVerdict } from '../../model/page/page-kind.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { PageFacts } from '../page-facts.ts'
import { pageKind } from '../page-kind.ts'
import { joinCards, joinParts } from './article-parts.ts'
import { articleRoot } from './article-root.ts'
import { cardsOf } from './cards.ts'
import { codeOf } from './drop-rules.ts'
import { genericRoot } from './generic-root.ts'
import { settleHidden } from './hidden-parts.ts'
import { Pruning } from './prune.ts'
import { dropRegions } from './regions.ts'
import { type Chosen, restoreArticle, restoreRecipe } from './restore-declared.ts'
import { Sums } from './sums.ts'
import { type Survey, surveyOf } from './survey.ts'
import { isSiteName, titleHeading } from './title-heading.ts'

/** A subtree of a page, and the subtrees in it that are dropped. */
export interface Content {
  root: NodeId
  isDropped(node: NodeId): boolean
  /** True for the headline and captions of an article. Markdown shows them; plain text leaves them out. */
  isBeside?(node: NodeId): boolean
  /** True if the node was dropped because of its position or its links. A footnote inside it is still shown. */
  isPruned?(node: NodeId): boolean
}

interface MainContent extends Content {
  kind: PageKindVerdict
  /** For each node, the code of the rule that dropped it; 0 if it is not dropped. */
  dropped: Uint8Array
}

/** The whole page without parts that readers do not see. */
export function wholePage(document: FlatDocument): Content {
  const survey = surveyOf(document)
  const dropped = unreadOf(survey)
  settleHidden(survey, dropped)
  return { root: survey.body, isDropped: node => dropped[node] !== 0 }
}

export function mainContent(document: FlatDocument, facts = new PageFacts(document)): MainContent {
  const survey = surveyOf(document)
  const kind = pageKind(facts)
  const dropped = unreadOf(survey)
  const shown = settleHidden(survey, dropped)
  const before = new Sums(survey, dropped)
  const readsAs = readingOf(kind, before.prose(survey.body))
  const title = titleHeading(facts, survey.headings)
  for (const heading of survey.headings)
    if (document.name(heading) === 'h1' && heading !== title && isSiteName(document, heading))
      dropped[heading] = codeOf('site-name')
  const precious = readsAs === 'recipe' ? facts.shape.ingredientLines : []
  const doubtful = dropRegions({ survey, sums: before, kind: readsAs, title, precious }, dropped)
  const sums = new Sums(survey, dropped)
  const chosen =
    readsAs === 'article'
      ? articleContent({ survey, sums, title, doubtful }, dropped)
      : joinCards(survey, genericRoot(survey, sums), shown, dropped)
  const root = withDeclared({ survey, facts, root: chosen }, readsAs, dropped)
  const headline = kind.kind === 'article' ? title : -1
  const caption = codeOf('caption')
  const pruned = new Set(prunedRules.map(codeOf))
  return {
    root,
    kind,
    dropped,
    isDropped: node => dropped[node] !== 0 && dropped[node] !== caption,
    isBeside: node => node === headline || dropped[node] === caption,
    isPruned: node => pruned.has(dropped[node]!),
  }
}

function withDeclared(chosen: Chosen, kind: PageKind, dropped: Uint8Array): NodeId {
  if (kind === 'recipe') return restoreRecipe(chosen, dropped)
  return kind === 'article' ? restoreArticle(chosen, dropped) : chosen.root
}

const prunedRules = ['outside', 'links', 'ending', 'read-more', 'related', 'repeated', 'footer'] as const

interface ArticleParts {
  survey: Survey
  sums: Sums
  title: NodeId
  /** Regions that stay although their names suggest other content. The search for the article ignores their text. */
  doubtful: NodeId[]
}

function articleContent({ survey, sums, title, doubtful }: ArticleParts, dropped: Uint8Array): NodeId {
  const cards = cardsOf(survey, sums, title)
  const body = articleRoot(survey, trusted(survey, sums, [...doubtful, ...cards], dropped), title)
  const root = joinParts(survey, sums, body, title, dropped)
  new Pruning({ survey, sums, root, body, title, cards }, dropped).run()
  return root
}

/** Returns the sums without the doubtful regions. If too little running text is left without these regions,
 *  returns the sums with them. */
function trusted(survey: Survey, sums: Sums, doubtful: NodeId[], dropped: Uint8Array): Sums {
  if (doubtful.length === 0) return sums
  const marked = dropped.slice()
  for (const node of doubtful) marked[node] ||= codeOf('outside')
  const without = new Sums(survey, marked)
  return without.prose(survey.body) >= enoughProse ? without : sums
}

const enoughProse = 300
const littleProse = 200
const muchProse = 1_000

/** Decides by which rules the main content is found: returns the page kind that has these rules. A page of
 *  unknown kind counts as an article if it has some running text. A page that is only probably documentation
 *  counts as an article if it has much running text, because it is often a post with code. */
function readingOf({ kind, sure }: PageKindVerdict, prose: number): PageKind {
  if (kind === 'other' && prose > littleProse) return 'article'
  return kind === 'documentation' && !sure && prose > muchProse ? 'article' : kind
}

function unreadOf(survey: Survey): Uint8Array {
  return survey.unread.slice()
}
