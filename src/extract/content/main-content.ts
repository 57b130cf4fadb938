// Finds the main content of a page: which element holds it, and which parts of that are left out.
import type { PageKind, PageKindVerdict } from '../../model/page-kind.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { PageFacts } from '../page-facts.ts'
import { pageKind } from '../page-kind.ts'
import { joinCards, joinParts } from './article-parts.ts'
import { articleRoot } from './article-root.ts'
import { codeOf } from './drop-rules.ts'
import { genericRoot } from './generic-root.ts'
import { settleHidden } from './late-shown.ts'
import { Pruning } from './prune.ts'
import { dropRegions } from './regions.ts'
import { Sums } from './sums.ts'
import { type Survey, surveyOf } from './survey.ts'
import { titleHeading } from './title-heading.ts'

/** A part of a page to be read: a subtree, and which subtrees of it are left out. */
export interface Content {
  root: NodeId
  isDropped(node: NodeId): boolean
  /** The headline of an article: markdown shows it, plain text is the article without it. -1 for none. */
  headline?: NodeId
}

export interface MainContent extends Content {
  kind: PageKindVerdict
  /** Per node the code of the rule that dropped it, 0 for what is kept. */
  dropped: Uint8Array
}

/** The whole page: only what no reader sees is left out. */
export function wholePage(document: FlatDocument): Content {
  const survey = surveyOf(document)
  const dropped = unreadOf(survey)
  settleHidden(survey, dropped)
  return { root: survey.body, isDropped: node => dropped[node] !== 0 }
}

export function mainContent(document: FlatDocument, facts = new PageFacts(document)): MainContent {
  const survey = surveyOf(document)
  const kind = pageKind(document, facts)
  const dropped = unreadOf(survey)
  const shown = settleHidden(survey, dropped)
  const before = new Sums(survey, dropped)
  const readsAs = readingOf(kind, before.prose(survey.body))
  const title = titleHeading(facts, survey.headings)
  const doubtful = dropRegions({ survey, sums: before, kind: readsAs, title }, dropped)
  const sums = new Sums(survey, dropped)
  const root =
    readsAs === 'article' ? articleContent({ survey, sums, title, doubtful }, dropped)
      : joinCards(survey, genericRoot(survey, sums), shown, dropped)
  const headline = readsAs === 'article' ? title : -1
  return { root, headline, kind, dropped, isDropped: node => dropped[node] !== 0 }
}

interface ArticleParts {
  survey: Survey
  sums: Sums
  title: NodeId
  /** Kept in spite of their names: they do not decide where the article is. */
  doubtful: NodeId[]
}

function articleContent({ survey, sums, title, doubtful }: ArticleParts, dropped: Uint8Array): NodeId {
  const body = articleRoot(survey, trusted(survey, sums, doubtful, dropped), title)
  const root = joinParts(survey, sums, body, title, dropped)
  new Pruning({ survey, sums, root, body, title }, dropped).run()
  return root
}

/** Sums without the doubtful parts, unless they are nearly all there is. */
function trusted(survey: Survey, sums: Sums, doubtful: NodeId[], dropped: Uint8Array): Sums {
  if (doubtful.length === 0) return sums
  const marked = dropped.slice()
  for (const node of doubtful) marked[node] ||= codeOf('outside')
  const without = new Sums(survey, marked)
  return without.prose(survey.body) >= enoughProse ? without : sums
}

const enoughProse = 300

/** A page of no certain kind that is mostly prose is read as an article. */
function readingOf({ kind }: PageKindVerdict, prose: number): PageKind {
  return kind === 'other' && prose > 400 ? 'article' : kind
}

function unreadOf(survey: Survey): Uint8Array {
  const dropped = new Uint8Array(survey.unread.length)
  const code = codeOf('unread')
  for (let node = 0; node < dropped.length; node++) if (survey.unread[node] !== 0) dropped[node] = code
  return dropped
}
