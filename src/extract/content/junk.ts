// What on a page is not its content: never read, hidden, or there to move around the site.
import type { FlatDocument, NodeId } from '../document/index.ts'

/** `never`: not even on the whole page. `hard`: not content. `soft`: not content unless it turns out to hold much of the page. */
export type Junk = 'never' | 'hard' | 'soft' | null

/** What a tag name says by itself. */
const byTag: ReadonlyMap<string, NonNullable<Junk>> = new Map([
  ...namesAs(
    'never',
    'script style template noscript iframe object embed svg math canvas audio video head datalist',
  ),
  ...namesAs('never', 'noembed noframes param source track rp'),
  ...namesAs('hard', 'nav footer menu dialog button select textarea search'),
  ...namesAs('soft', 'aside header form'),
])

function namesAs(kind: NonNullable<Junk>, names: string): Array<[string, NonNullable<Junk>]> {
  return names.split(' ').map(name => [name, kind])
}

const byRole: ReadonlyMap<string, NonNullable<Junk>> = new Map([
  ...namesAs('hard', 'navigation contentinfo search dialog alertdialog menu menubar toolbar tablist'),
  ...namesAs('soft', 'banner complementary'),
])

/** Elements whose class and id are worth reading: what holds a region of a page. */
const regions = new Set(
  'div section ul ol li dl aside header form table p span article details center figure'.split(' '),
)

const mayHide = /hidden|display\s*:\s*none|sr-only|screen-reader/i
const mayBeNamed = /\s(?:class|id|role)\s*=/i

const junkName = new RegExp(
  `(?:^|[\\s_-])(?:${[
    'nav(?:bar|igation)?|menus?|side-?bar|foot(?:er)?|masthead|site-?header|top-?bar|bread-?crumbs?|pag(?:er|ination)',
    'cookies?|consent|gdpr|banner|ads?|adverts?|advertisement|sponsor(?:ed)?|promos?|promotion|outbrain|taboola',
    'social|share|sharing|share-?buttons|related|recommend(?:ed|ations?)?|read-?more|more-?stories|trending|popular',
    'newsletter|subscribe|sign-?up|pop-?up|modal|overlay|skip|skip-?links?|tool-?bar|widgets?|toc|table-of-contents',
    'login|search-?(?:form|box)|copyright|disclaimer|edit-?section|no-?print|back-to-top',
  ].join('|')})(?:$|[\\s_-])`,
  'i',
)
const calloutName =
  /(?:^|[\s_-])(?:note|tip|warning|caution|info|important|danger|admonition|callout|alert|hint)(?:$|[\s_-])/i
const unhiddenLater = /:(?:block|flex|grid|inline|contents|table)/

export function junkOf(document: FlatDocument, node: NodeId, name: string): Junk {
  const known = byTag.get(name)
  if (known === 'never') return 'never'
  const tag = document.startTag(node)
  if (tag.length < name.length + 7) return known ?? null
  if (mayHide.test(tag) && isHidden(document, node)) return 'never'
  if (known === 'hard' || !(regions.has(name) || known === 'soft') || !mayBeNamed.test(tag))
    return known ?? null
  return byName(document, node, known ?? null)
}

function byName(document: FlatDocument, node: NodeId, known: Junk): Junk {
  const role = document.attribute(node, 'role')
  const named = `${document.attribute(node, 'class') ?? ''} ${document.attribute(node, 'id') ?? ''}`
  if (role !== null && byRole.has(role)) return byRole.get(role)!
  // Notes and warnings of a manual are often an aside.
  if (known === 'soft' && calloutName.test(named)) return null
  return known ?? (junkName.test(named) ? 'soft' : null)
}

/** By attribute, style or class. */
export function isHidden(document: FlatDocument, node: NodeId): boolean {
  const hidden = document.attribute(node, 'hidden')
  if (hidden !== null && hidden.toLowerCase() !== 'until-found') return true
  if (document.attribute(node, 'aria-hidden') === 'true') return true
  const style = document.attribute(node, 'style')
  if (style !== null && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)) return true
  return hidesByClass(document.attribute(node, 'class') ?? '')
}

/** `hidden md:block` is hidden on phones only. */
function hidesByClass(classes: string): boolean {
  if (/(?:^|\s)(?:sr-only|visually-?hidden|screen-reader(?:-text|-only)?)(?:\s|$)/i.test(classes)) return true
  return /(?:^|\s)hidden(?:\s|$)/.test(classes) && !unhiddenLater.test(classes)
}
