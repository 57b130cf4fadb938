// Derives the role of an element from its class names and id.
import { firstWords } from './first-words.ts'
import { hidesByClass } from './hidden.ts'
import { NameCache } from './name-cache.ts'

/** Roles that a name can suggest. A name alone never decides: running text is content, whatever its name. */
const roles = [
  'none',
  'navigation',
  'sidebar',
  'related',
  'comments',
  'share',
  'tags',
  'byline',
  'author',
  'newsletter',
  'cookies',
  'advertisement',
  'overlay',
  'contents',
  'login',
  'footer',
  'caption',
  'callout',
] as const
export type Role = (typeof roles)[number]

/** Words that only say that the element is a container. */
const containers =
  'area|bar|block|blocks|body|bottom|box|button|buttons|card|cards|carousel|col|column|component|container|content|feed|footer|form|frame|grid|group|header|heading|holder|icons?|inline|inner|item|items|label|layout|left|link|links|list|main|mobile|desktop|module|outer|panel|placeholder|region|right|row|section|slider|slot|strip|tab|text|title|top|unit|widget|window|wrap|wrapper|wrapped|zone|v\\d+|\\d+'

const phrases: ReadonlyArray<[Role, string]> = [
  [
    'navigation',
    'nav|navs|navbar|navigation|menu|menus|submenu|bread-?crumbs?|pager|pagination|paging|prev-?next|post-?nav|skip|skip-?(?:to|nav)|sitemap|top-?bar|tool-?bar|masthead|site-?header|page-?header|global-?header|back-?to-?top|quick-?links|search|search-?(?:form|box|bar|results?)|jump-?links|language-?switcher|edit-?section|edit-?link',
  ],
  [
    'sidebar',
    'side-?bar|sidebars|aside|rail|right-?rail|left-?rail|side-?column|secondary|widget-?area|widget-?title|widgets',
  ],
  [
    'related',
    'related|relateds|related-?(?:posts?|articles?|stor(?:y|ies)|content|news|topics|reading|videos?|entries)|jp-?relatedposts|relatedposts?|yarpp|recommend(?:ed|ations?|s)?|recommended-?(?:posts?|articles?|stories)|read-?(?:more|next|also)|more-?(?:stories|news|articles|posts|from|on|links)|most-?(?:read|popular|viewed|commented|recent)|trending|popular|popular-?posts|latest|latest-?(?:news|posts|stories|articles)|recent-?(?:posts|comments|news|articles)|recirc(?:ulation)?|up-?next|next-?(?:post|article|story)|also-?(?:like|read)|you-?may-?(?:also-?)?like|see-?also|teasers?|outbrain|taboola|zergnet|revcontent|dianomi|promos?|promoted|promotion|upsell|cross-?sell|further-?reading|suggested|suggestions|other-?(?:news|posts|articles)|external-?links',
  ],
  [
    'comments',
    'comments?|comment-?(?:list|respond|form|thread|area)|comentarios?|commentaires?|kommentare?|komentarze|disqus|disqus-?thread|respond|replies|responses|fb-?comments|livefyre|discussion|user-?comments|spot-?im|coral|trackbacks?|pingbacks?',
  ],
  [
    'share',
    'share|shares|sharing|sharer|share-?(?:this|bar|tools|count|icons?|buttons?|links?)|social|socials|social-?(?:media|share|sharing|links?|icons?|buttons?|bar|tools|follow)|sharedaddy|sd-?sharing|addthis|addtoany|a2a|follow|follow-?us|like-?button|post-?likes|reactions|article-?tools',
  ],
  [
    'tags',
    'tag|tags|tag-?(?:list|links|cloud)|tagcloud|post-?tags|entry-?tags|article-?tags|topics|keywords|categor(?:y|ies)|cat-?links|tags-?links|filed-?under|hash-?tags',
  ],
  [
    'byline',
    'by-?line|dateline|post-?meta|post-?metadata|entry-?meta|article-?meta|meta|meta-?(?:data|info)|post-?info|entry-?info|article-?info|published|publish-?date|pub-?date|post-?date|entry-?date|article-?date|date|time|timestamp|posted-?on|updated|read-?time|reading-?time|views?|view-?count|post-?views|source|credits?|article-?header-?meta|rating|ratings|like|likes|print|email|tool|tools|actions|bookmark|save',
  ],
  [
    'author',
    'author|authors|author-?(?:box|bio|info|card|about|profile|details|description)|about-?(?:the-?)?author|bio|biography|contributors?|writer|post-?author',
  ],
  [
    'newsletter',
    'news-?letters?|news-?letter-?(?:signup|sign-?up|form|subscribe)|subscribe|subscription|subscriptions|sign-?up|optin|opt-?in|mailing-?list|mc-?embed(?:-?signup)?|mailchimp|email-?signup|paywall|donate|donation|support-?us|membership|cta\\d?|call-?to-?action',
  ],
  [
    'cookies',
    'cookies?|cookie-?(?:banner|notice|consent|bar|policy|law|message)|consent|gdpr|privacy-?(?:banner|notice)|onetrust',
  ],
  [
    'advertisement',
    'ad|ads|advert|adverts|advertisement|advertising|ad-?(?:slot|unit|wrap|container|label|banner|box|space)|adsbygoogle|dfp|gpt-?ad|google-?ads?|sponsor|sponsors|sponsored|banner|banners|affiliate|affiliate-?disclosure|partner|partners|commercial',
  ],
  [
    'overlay',
    'modal|modals|pop-?up|popups|overlay|lightbox|off-?canvas|drawer|dialog|toast|tooltip|interstitial',
  ],
  ['contents', 'toc|table-?of-?contents|ez-?toc|in-?this-?article|on-?this-?page|page-?toc|toctree'],
  ['login', 'log-?in|sign-?in|register|registration|account'],
  ['footer', 'foot|footer|site-?footer|page-?footer|colophon|copyright|disclaimer|legal|copy-?right|imprint'],
  [
    'caption',
    'caption|captions|wp-?caption-?text|image-?caption|photo-?caption|figcaption|legend|img-?caption|photo-?credits?|image-?credits?',
  ],
  [
    'callout',
    'note|notes|tip|tips|warning|caution|info|important|danger|admonition|callout|alert|hint|notice|topic|footnotes?|pullquote',
  ],
]

/** Matches a phrase at the end of a name, or a phrase that is followed only by container words. */
const patterns: ReadonlyArray<[Role, RegExp]> = phrases.map(([role, words]) => [
  role,
  new RegExp(
    `(?:^|-)(?:${words})$|^(?:${words})(?:-(?:${containers}))+$|-(?:${words})(?:-(?:${containers}))+$`,
  ),
])

/** Words that suggest a role wherever they are in a name. They count only for elements with many links or without
 *  running text. */
const loosePhrases: ReadonlyArray<[Role, string]> = [
  [
    'related',
    'related|recommend(?:ed|ations?)?|read-more|more-stories|trending|most-read|outbrain|taboola|teasers?|promo|verwandt|relacionad[ao]s',
  ],
  ['share', 'share|sharing|social|shariff|addthis'],
  ['newsletter', 'news-?letter|subscribe|signup|sign-up'],
  ['comments', 'comments|disqus'],
  ['advertisement', 'advert|advertisement|ads?|sponsored'],
  ['navigation', 'breadcrumbs?|nav|navigation|pagination|prev|menu|backlink'],
  ['tags', 'tags|tagbox|taglist'],
  ['byline', 'byline|timestamp|reading-time|read-time'],
  ['cookies', 'cookies?|consent|gdpr'],
  ['overlay', 'modal|popup|overlay|tooltip'],
  ['footer', 'footer|copyright'],
  ['sidebar', 'sidebar'],
]
const loosePatterns: ReadonlyArray<[Role, RegExp]> = loosePhrases.map(([role, words]) => [
  role,
  new RegExp(`(?:^|-)(?:${words})(?:-|$)`),
])

/** Every phrase starts with one of these words. */
const openings = firstWords([...phrases, ...loosePhrases].map(([, words]) => words).join('|'))
// Every name that `notOnPaper` matches contains one of these words.
for (const word of ['no', 'noprint', 'print', 'site', 'sitesub']) openings.add(word)

/** Has 1 for each pair of characters with which one of the `openings` starts. Most words of a page fail this
 *  check, so no string is created for them. */
const pairs = new Uint8Array(1 << 14)
for (const [first, second] of openings) pairs[(first!.charCodeAt(0) << 7) | second!.charCodeAt(0)] = 1

/** False if the name certainly contains no phrase. */
function mayHavePhrase(name: string): boolean {
  let before = 0
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at)
    // Some non-ASCII letters have an ASCII letter as lower case. So names with non-ASCII letters are checked
    // in full.
    if (code > 127) return true
    const kind = letterKinds[code]!
    const startsWord = kind !== 0 && (before === 0 || (kind === upper && before === lower))
    if (startsWord && mayBeOpening(name, at, code) && openings.has(wordAt(name, at))) return true
    before = kind
  }
  return false
}

const mayBeOpening = (name: string, at: number, code: number): boolean =>
  pairs[((code | 32) << 7) | ((name.charCodeAt(at + 1) | 32) & 127)] === 1

/** The word that starts at this position, in lower case. It ends before a capital that follows a small letter. */
function wordAt(name: string, start: number): string {
  let stop = start
  for (let before = 0; stop < name.length; stop++) {
    const kind = letterKinds[name.charCodeAt(stop)] ?? 0
    if (kind === 0 || (kind === upper && before === lower)) break
    before = kind
  }
  return name.slice(start, stop).toLowerCase()
}

const lower = 1
const upper = 2
/** The kind of each ASCII character; 0 for characters that separate words. */
const letterKinds = new Uint8Array(128)
letterKinds.fill(lower, 48, 58).fill(upper, 65, 91).fill(lower, 97, 123)

/** Prefixes of names that describe a state or property, not the element itself. */
const notItself =
  /(?:^|-)(?:has|no|not|with|without|is|js|hide|show|theme|page|single|type|status|format|hentry)-/

/** Names of parts that are not printed. They are not content. */
const notOnPaper = /^(?:no-?print|d-print-none|hidden-print|print-hidden|site-?sub)$/

export class Names {
  readonly #lists = new NameCache(5_000, classes => ({
    ...this.#roleOfList(classes),
    isBody: bodyName.test(classes),
    hides: hidesByClass(classes),
  }))
  readonly #names = new NameCache(20_000, roleOfName)

  /** The role of a list of class names. */
  roleOf(classes: string): Named {
    return this.#lists.of(classes)
  }

  /** The role of an id. Ids are not cached, because they differ on every page of a site. */
  roleOfId(id: string): Named {
    return mayHavePhrase(id) ? this.#roleOfList(id) : unnamed
  }

  #roleOfList(names: string): Named {
    let loose = unnamed
    for (const name of names.split(/\s+/, 12)) {
      const found = this.#names.of(name)
      if (found.role === 'none') continue
      if (!found.isLoose) return found
      if (loose.role === 'none') loose = found
    }
    return loose
  }
}

/** What a name suggests. `isLoose` is true if other words of the name have another meaning. */
export interface Named {
  role: Role
  isLoose: boolean
  /** True if publishers use the name for article bodies. */
  isBody: boolean
  /** True if the class names hide the element. */
  hides: boolean
}

export const unnamed: Named = { role: 'none', isLoose: false, isBody: false, hides: false }

const bodyName =
  /(?:^|\s)(?:[\w-]*(?:article|post|entry|story|news|blog|single)[_-]{0,2}(?:content|body|text|copy|entry)|articlebody|body-?copy|instapaper_body|story|mw-parser-output)(?:$|\s)/i

/** Splits a name into words. camelCase, snake_case and BEM names give the same words. */
function roleOfName(name: string): Named {
  if (name.length < 2 || name.length > 80 || !mayHavePhrase(name)) return unnamed
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '')
  if (notOnPaper.test(words)) return { ...unnamed, role: 'navigation' }
  if (notItself.test(words)) return unnamed
  for (const [role, pattern] of patterns) if (pattern.test(words)) return { ...unnamed, role }
  for (const [role, pattern] of loosePatterns)
    if (pattern.test(words)) return { ...unnamed, role, isLoose: true }
  return unnamed
}
