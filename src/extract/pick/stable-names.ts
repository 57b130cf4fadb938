// Decides which class names and ids are likely to survive the next build of a site.

interface NamePart {
  /** A simple selector without the tag, such as `.price` or `[class*="Card_title__"]`. */
  css: string
  /** Lower is better. */
  cost: number
  /** True if a build tool generated the name. The next build may change such a name. */
  isHashed: boolean
  /** The name without the part that a build tool added. Empty if nothing is left. */
  word: string
}

const cost = { word: 1.5, generic: 3, part: 2.5, utility: 6, state: 20, hashed: 25 }

const states =
  /^(?:is-|has-|js-)|^(?:active|selected|current|open|closed|first|last|odd|even|hover|visible|hidden|show|lazy|lazyload(?:ed|ing)?|loaded|in|collapsed|expanded|disabled|new|featured|highlight(?:ed)?|sale)$|^(?:slick|swiper|aos|wow|animate)/i

const generics =
  /^(?:item|box|col|cols|column|row|wrap|wrapper|container|inner|outer|content|left|right|top|bottom|block|section|clearfix|group|media|body|text|main|grid|list|module|panel|unit|cell|line|info|details?|div|span)$/i

/** Classes of utility frameworks. They describe only the look, and many elements share them, so they are poor
 *  selectors. */
const utilities =
  /[:[\]/!]|^-?(?:[mp][trblxyse]?|w|h|gap|top|left|right|bottom|z|order|col|row|grid|flex|text|bg|border|rounded|font|leading|tracking|shadow|opacity|space-[xy]|min-w|max-w|min-h|max-h|inset|size|basis|d|g|fs|fw|col-(?:xs|sm|md|lg|xl)|offset|float|align|justify|items|self|overflow|object|cursor|transition|duration|ease|line-clamp|aspect|ring|divide|mx|my|px|py)-(?:\d|\[|auto|full|px|none|xs|sm|base|md|lg|xl|\dxl|center|start|end|between|left|right|top|bottom|bold|medium|semibold|normal|light|gray|slate|white|black|red|blue|green|muted|primary|secondary|hidden|cover|contain|wrap|col|row|span|block|inline|\w+-\d+)\b|^(?:flex|grid|block|inline|inline-block|inline-flex|relative|absolute|fixed|sticky|hidden|truncate|italic|underline|uppercase|lowercase|capitalize|container|clearfix|row|col|group|shrink-0|grow|antialiased|pull-left|pull-right)$/

export function namePart(name: string): NamePart {
  const escaped = cssName(name)
  const made = madePart(name)
  if (made) return made
  const word = (price: number, isHashed = false): NamePart => ({
    css: `.${escaped}`,
    cost: price,
    isHashed,
    word: isHashed ? '' : name,
  })
  if (isRandom(name)) return word(cost.hashed, true)
  if (states.test(name)) return word(cost.state)
  if (utilities.test(name)) return word(cost.utility)
  return word(generics.test(name) ? cost.generic : cost.word)
}

/** For a name to which a build tool added a hash: the part that a person wrote. Null for other names. */
function madePart(name: string): NamePart | null {
  const found =
    // CSS modules: Card_title__a8Xz3
    /^([A-Za-z][\w-]*?_[A-Za-z][\w-]*?__)[\w-]{4,8}$/.exec(name) ??
    // Vite's CSS modules: _title_1x2y3_5
    /^(_[A-Za-z][A-Za-z-]*_)[a-z0-9]{4,7}_\d+$/.exec(name) ??
    // Block, two dashes or underscores, hash: title--3fGh9
    /^([A-Za-z][A-Za-z-]{2,}(?:--|__|_))(?=[\w]*\d)[\w-]{4,10}$/.exec(name)
  if (found && isRandom(name.slice(found[1]!.length).replace(/_\d+$/, '')))
    return part(found[1]!, found[1]!.replace(/^_|[_-]+$/g, ''))
  // Emotion with a label: css-1x2y3z-ProductName
  const label = /^(?:css|emotion)-[a-z0-9]{5,10}(-[A-Za-z][\w-]{2,})$/.exec(name)
  return label ? part(label[1]!, label[1]!.slice(1)) : null
}

const part = (text: string, word: string): NamePart => ({
  css: `[class*="${text}"]`,
  cost: cost.part,
  isHashed: false,
  word: word.split(/_+/).at(-1)!,
})

/** True for names that frameworks generate with each build, and for random tokens. */
export function isRandom(name: string): boolean {
  if (/^(?:css|sc|jsx|jss|svelte|emotion|ng|data-v|astro|tss)-?[A-Za-z0-9]*\d/i.test(name)) return true
  if (/^(?:sc|css|svelte|emotion|astro)-[A-Za-z0-9]{4,}$/.test(name)) return true
  if (name.length > 60 || /\d{4,}/.test(name)) return true
  return name.split(/[-_]+/).some(isRandomToken)
}

function isRandomToken(token: string): boolean {
  if (token.length < 4) return false
  if (/\d[A-Za-z]/.test(token) && !/^\d+(?:px|xl|x|col|cols|st|nd|rd|th|d|h|w|up|k|col)\d*$/i.test(token))
    return !/^[a-z]{2,}\d(?:xl|x)$/i.test(token)
  if (/^[0-9a-f]{6,}$/i.test(token) && /\d/.test(token)) return true
  const letters = token.replace(/\d{1,2}$/, '')
  const parts = letters.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]/g) ?? []
  if (parts.length > 2 && letters.length / parts.length < 2.6) return true
  if (parts.length > 1 && letters.length >= 5 && letters.length / parts.length < 2.6) return true
  return letters.length >= 5 && parts.every(isUnpronounceable)
}

/** True if the letters cannot be a word. The caller checks only names of five letters or more, so `btn`, `src` and
 *  `img` are never checked. */
function isUnpronounceable(letters: string): boolean {
  const lower = letters.toLowerCase()
  const vowels = (lower.match(/[aeiouy]/g) ?? []).length
  if (vowels === 0 || vowels / lower.length < 0.12) return true
  // Letter combinations that hardly occur in words.
  return /[bcdfghjklmnpqrstvwxz]{5}|q[^u]|j[bcdfghklmnprstvwxz]|[bcdfghklmpqvwxz]j|v[bcdfghjkmnpqtwxz]|[kgvwjqz]x/.test(
    lower,
  )
}

/** Escapes a name as `CSS.escape` does. */
export function cssName(name: string): string {
  const escaped = name.replace(/[^\w\u0080-\uffff-]/g, '\\$&')
  return escaped.replace(/^(-?)(\d)/, (_all, dash: string, digit: string) => `${dash}\\3${digit} `)
}

export const cssText = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`
