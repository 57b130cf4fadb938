// Decides which regions of a page are not content. The name of a region alone never decides.
import type { PageKind } from '../../model/page/page-kind.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { codeOf, type DropRule } from './drop-rules.ts'
import type { Role } from './names.ts'
import type { Sums } from './sums.ts'
import type { Region, Survey } from './survey.ts'

/** A region with at least this share of the running text is content. */
const contentShare = 0.35
/** A footer or comment thread below the title is dropped, even if it is long, if at least this much running text is
 *  left. */
const enoughProse = 300
/** Lists and tables with few links and at least this much text contain facts, so they stay. */
const statedText = 80
/** A region is navigation if more than this share of its text is inside links. */
const linkShare = 0.4

/** Roles that make a region doubtful. The search for the article ignores doubtful regions, even if they are not
 *  dropped. */
const doubtfulRoles: ReadonlySet<Role> = new Set<Role>([
  ...([
    'sidebar',
    'related',
    'comments',
    'footer',
    'newsletter',
    'cookies',
    'advertisement',
    'overlay',
    'author',
  ] as const),
  ...(['navigation', 'login', 'share'] as const),
])

/** Roles that are dropped only from articles. On other pages they may be the content. */
const onlyOfArticles: ReadonlySet<Role> = new Set<Role>([
  'byline',
  'tags',
  'comments',
  'author',
  'caption',
  'related',
])
/** Roles of regions that have only short lines and links. If such a region has running text, its name is misleading. */
const neverProse: ReadonlySet<Role> = new Set<Role>([
  'share',
  'tags',
  'byline',
  'navigation',
  'contents',
  'login',
])

/** Roles of regions that contain form fields and buttons. */
const withFields: ReadonlySet<Role> = new Set<Role>(['newsletter', 'login', 'comments', 'overlay', 'cookies'])

/** Roles of regions that ask readers to act. If such a region is short, one link confirms the role. */
const asks: ReadonlySet<Role> = new Set<Role>(['newsletter', 'advertisement', 'related', 'footer'])
const smallProse = 400

const consent = /cookie/i

interface RegionParts {
  survey: Survey
  sums: Sums
  kind: PageKind
  /** The heading of the page, as `titleHeading` finds it; -1 if there is none. */
  title: NodeId
  /** A region that contains one of these nodes is not dropped because of its name. */
  precious: NodeId[]
}

/** Drops regions. Returns the doubtful ones that are not dropped. */
export function dropRegions(parts: RegionParts, dropped: Uint8Array): NodeId[] {
  const doubtful: NodeId[] = []
  const { document, regions } = parts.survey
  const judge = new RegionJudge(parts)
  let skipTo = 0
  for (const region of regions) {
    if (region.node < skipTo || dropped[region.node] !== 0) continue
    const rule = judge.ruleFor(region)
    if (rule === null) {
      if (judge.isDoubtful(region)) doubtful.push(region.node)
      continue
    }
    dropped[region.node] = codeOf(rule)
    skipTo = document.end(region.node)
  }
  return doubtful
}

class RegionJudge {
  readonly #document: FlatDocument
  readonly #sums: Sums
  readonly #isArticle: boolean
  readonly #prose: number
  readonly #text: number
  readonly #precious: NodeId[]
  readonly #mains: NodeId[]
  readonly #title: NodeId
  /** The element that the page marks as its article; -1 if there is none or more than one. */
  readonly #body: NodeId

  constructor({ survey, sums, kind, title, precious }: RegionParts) {
    this.#document = survey.document
    this.#sums = sums
    this.#isArticle = kind === 'article'
    this.#prose = sums.prose(survey.body)
    this.#text = sums.text(survey.body)
    this.#precious = [...survey.mains, ...precious]
    this.#mains = [...survey.mains, ...survey.articles]
    this.#title = title
    this.#body = this.#isArticle ? bodyOf(survey, sums) : -1
  }

  ruleFor({ node, role, isTagged, isLoose }: Region): DropRule | null {
    if (role === 'none' || role === 'callout') return null
    if (onlyOfArticles.has(role) && !this.#isArticle) return null
    if (this.#holds(node)) return null
    const prose = this.#sums.prose(node)
    if (role === 'caption') return prose > this.#prose * 0.1 ? null : 'caption'
    if (this.#isMostlyElsewhere(node, role, isTagged)) return role
    if (
      (this.#isContent(node, prose) && !this.#isBesideBody(node, role)) ||
      this.#isBesideContent(node, role)
    )
      return null
    if (prose === 0 || this.#sums.linkShare(node) > linkShare)
      return isLoose && !this.#isArticle ? null : this.#withoutProse(node, role, isTagged)
    if (isLoose || (neverProse.has(role) && !isTagged)) return null
    return isTagged || this.#hasSecondSign(node, role) ? role : null
  }

  isDoubtful({ node, role, isLoose }: Region): boolean {
    return doubtfulRoles.has(role) && !isLoose && !this.#holds(node)
  }

  /** True if the region contains the title of the page or one of the `precious` nodes. */
  #holds(node: NodeId): boolean {
    const end = this.#document.end(node)
    if (this.#title >= node && this.#title < end) return true
    return this.#precious.some(precious => precious > node && precious < end)
  }

  /** True for comments and footers below an article's title, if enough running text is outside them. They may be longer
   *  than the article. */
  #isMostlyElsewhere(node: NodeId, role: Role, isTagged: boolean): boolean {
    const isBelow = this.#title >= 0 && node > this.#title
    if (!this.#isArticle || !isBelow) return false
    if (role !== 'comments' && !(role === 'footer' && isTagged)) return false
    return this.#prose - this.#sums.prose(node) >= enoughProse
  }

  /** On pages that are not articles, an aside in the main part is content, unless most of it is links. */
  #isBesideContent(node: NodeId, role: Role): boolean {
    if (this.#isArticle || role !== 'sidebar' || this.#sums.linkShare(node) > 0.5) return false
    return this.#isInMain(node)
  }

  #isInMain(node: NodeId): boolean {
    return this.#mains.some(main => main < node && node < this.#document.end(main))
  }

  /** If the page marks its article, true for sidebars and footers outside it. They are never content, even if they are
   *  large. */
  #isBesideBody(node: NodeId, role: Role): boolean {
    if (this.#body < 0 || (role !== 'sidebar' && role !== 'footer')) return false
    return this.#document.end(node) <= this.#body || node >= this.#document.end(this.#body)
  }

  #isContent(node: NodeId, prose: number): boolean {
    if (this.#prose > 0) return prose > this.#prose * contentShare
    return this.#sums.text(node) > this.#text * contentShare
  }

  /** Decides about a region with many links or without running text. Returns the rule that drops it. Returns
   *  null if it stays, because it contains facts or too much of the page's text. */
  #withoutProse(node: NodeId, role: Exclude<Role, 'none' | 'callout'>, isTagged: boolean): DropRule | null {
    const text = this.#sums.text(node)
    if (text >= statedText && this.#sums.linkShare(node) < 0.2 && !this.#isChrome(role, isTagged)) return null
    if (isTagged || this.#isArticle) return role
    return text < this.#text * contentShare ? role : null
  }

  /** True for navigation, footers and overlays whose tag or ARIA role names the purpose. In an article, true
   *  for every region with such a tag or role. */
  #isChrome(role: Role, isTagged: boolean): boolean {
    if (this.#isArticle && isTagged) return true
    return (role === 'navigation' || role === 'footer' || role === 'overlay') && isTagged
  }

  #leadsAway(node: NodeId, role: Role): boolean {
    const isField = withFields.has(role) && this.#sums.controls(node) > 0
    return isField || this.#sums.linkShare(node) > (this.#isInMain(node) ? 0.3 : 0.2)
  }

  #isSmall(node: NodeId): boolean {
    const prose = this.#sums.prose(node)
    return prose < smallProse && prose < this.#prose * 0.1
  }

  #hasSecondSign(node: NodeId, role: Role): boolean {
    if (this.#sums.prose(node) < this.#prose * 0.15 && this.#leadsAway(node, role)) return true
    if (role === 'comments' || role === 'author') return this.#isArticle
    if (this.#isArticle && asks.has(role) && this.#isSmall(node)) return this.#sums.links(node) > 0
    if (role === 'footer') return /©|\(c\)|all rights reserved/i.test(this.#document.text(node))
    if (role === 'cookies') return !this.#isInMain(node) && consent.test(this.#document.text(node))
    return false
  }
}

const shortest = 60

function bodyOf({ document, bodies }: Survey, sums: Sums): NodeId {
  const filled = bodies.filter(body => sums.text(body) - sums.link(body) >= shortest)
  const [first = -1] = filled
  return first >= 0 && filled.at(-1)! < document.end(first) ? first : -1
}
