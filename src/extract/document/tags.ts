// The tag names of HTML. Each has a small number and flags for the parser.

/** Tag names for which the parser has rules. The numbers are array indexes, so they are small and without
 *  gaps. */
// biome-ignore format: one name per line would hide the table
export const tag = {
  html: 1, head: 2, body: 3, frameset: 4, frame: 5, template: 6, base: 7, basefont: 8, bgsound: 9, link: 10,
  meta: 11, title: 12, noscript: 13, noframes: 14, style: 15, script: 16, a: 17, b: 18, big: 19, code: 20,
  em: 21, font: 22, i: 23, nobr: 24, s: 25, small: 26, strike: 27, strong: 28, tt: 29, u: 30,
  address: 31, article: 32, aside: 33, blockquote: 34, center: 35, details: 36, dialog: 37, dir: 38, div: 39, dl: 40,
  fieldset: 41, figcaption: 42, figure: 43, footer: 44, header: 45, hgroup: 46, main: 47, menu: 48, nav: 49, ol: 50,
  p: 51, search: 52, section: 53, summary: 54, ul: 55, h1: 56, h2: 57, h3: 58, h4: 59, h5: 60,
  h6: 61, pre: 62, listing: 63, form: 64, li: 65, dd: 66, dt: 67, plaintext: 68, button: 69, applet: 70,
  marquee: 71, object: 72, table: 73, caption: 74, colgroup: 75, col: 76, tbody: 77, thead: 78, tfoot: 79, tr: 80,
  td: 81, th: 82, area: 83, br: 84, embed: 85, img: 86, image: 87, keygen: 88, wbr: 89, input: 90,
  param: 91, source: 92, track: 93, hr: 94, textarea: 95, xmp: 96, iframe: 97, noembed: 98, select: 99, optgroup: 100,
  option: 101, rb: 102, rtc: 103, rt: 104, rp: 105, ruby: 106, math: 107, svg: 108, span: 109, sub: 110,
  sup: 111, var: 112, mi: 113, mo: 114, mn: 115, ms: 116, mtext: 117, desc: 118, foreignobject: 119,
} as const

/** Frequent names without parsing rules. They are listed to avoid string lookups. */
const plainNames =
  'abbr acronym audio bdi bdo blink canvas cite data datalist del dfn ins kbd label legend map mark meter output ' +
  'picture progress q samp slot time video annotation-xml g path rect circle ellipse line polygon polyline use defs ' +
  'symbol lineargradient radialgradient stop text tspan clippath mask filter pattern'

const firstPlainName = 120
/** From this number on, numbers stand for names that are not in HTML. Each document assigns its own. */
export const firstOwnName = 256

export const is = {
  special: 1,
  formatting: 2,
  void: 4,
  /** The element ends the search for an element "in scope", as the HTML standard calls it. */
  scope: 8,
  /** Some other tags imply the end tag of this element. */
  impliedEnd: 16,
  /** One of caption, col, colgroup, tbody, td, tfoot, th, thead, tr. */
  tablePart: 32,
  /** Formatting that was opened before this element does not continue inside it. */
  marker: 64,
  heading: 128,
  /** The tag ends svg and math if it occurs inside them. */
  breakout: 256,
  /** The content is text without character references. */
  rawText: 512,
  /** The element is allowed in the head. */
  headContent: 1024,
  /** The only effect of the end tag is to close the element, if that is the current one. */
  plainEnd: 2048,
} as const

const groups: Record<Exclude<keyof typeof is, 'plainEnd'>, string> = {
  special:
    'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd ' +
    'details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header ' +
    'hgroup hr html iframe img input li link listing main marquee menu meta nav noembed noframes noscript object ol p ' +
    'param plaintext pre script section select source style summary table tbody td template textarea tfoot th thead ' +
    'title tr track ul wbr xmp',
  formatting: 'a b big code em font i nobr s small strike strong tt u',
  void: 'area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr',
  scope: 'applet caption html table td th marquee object template',
  impliedEnd: 'dd dt li optgroup option p rb rp rt rtc',
  tablePart: 'caption col colgroup tbody td tfoot th thead tr',
  marker: 'applet caption marquee object td template th',
  heading: 'h1 h2 h3 h4 h5 h6',
  breakout:
    'b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i img li listing menu ' +
    'meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
  rawText: 'style script xmp iframe noembed noframes plaintext',
  headContent: 'base basefont bgsound link meta title noscript noframes style script template',
}

export const tagNames: string[] = ['']
for (const [name, id] of Object.entries(tag)) tagNames[id] = name
plainNames.split(' ').forEach((name, index) => {
  tagNames[firstPlainName + index] = name
})

export const tagIds: ReadonlyMap<string, number> = new Map(tagNames.map((name, id) => [name, id]))

/** Flags of each name in HTML. Other names (from `firstOwnName` on) have none. */
const tagFacts = new Int32Array(firstOwnName)
for (const [group, names] of Object.entries(groups)) {
  for (const name of names.split(' ')) tagFacts[tagIds.get(name)!]! |= is[group as keyof typeof is]
}
const ownEndRules = new Set<number>([
  tag.html,
  tag.head,
  tag.body,
  tag.form,
  tag.select,
  tag.frameset,
  tag.template,
])
for (let id = 1; id < firstOwnName; id++) {
  const hasOwnRule = ownEndRules.has(id) || tagFacts[id]! & (is.tablePart | is.void)
  if (id !== tag.table && !hasOwnRule) tagFacts[id]! |= is.plainEnd
}

// These copies are not exported, because local constants are faster; `scan.ts` explains why.
const facts = tagFacts
const knownNames = firstOwnName
const { plainEnd } = is

export function factsOf(name: number): number {
  return name < knownNames ? facts[name]! : plainEnd
}

// An open-addressing hash table from the hash of a name in lower case to its number.
const hashMask = 1023
const table = new Uint8Array(hashMask + 1)
for (let id = 1; id < tagNames.length; id++) {
  let slot = hashOf(tagNames[id]!)
  while (table[slot] !== 0) slot = (slot + 1) & hashMask
  table[slot] = id
}

function hashOf(name: string): number {
  let hash = 0
  for (let index = 0; index < name.length; index++) hash = nextHash(hash, name.charCodeAt(index))
  return hash
}

/** Upper-case and lower-case letters have the same hash. Other characters may share hashes. */
export function nextHash(hash: number, code: number): number {
  return (hash * 31 + (code | 32)) & hashMask
}

/** The characters of each name in HTML, in rows of 16, filled with zeroes. */
const nameCodes = new Uint8Array(firstOwnName << 4)
for (let id = 1; id < tagNames.length; id++) nameCodes.set(Buffer.from(tagNames[id]!), id << 4)

/** The number of the name between `start` and `stop` with this hash; 0 for names that are not in HTML. */
export function knownTag(codes: Uint16Array, start: number, stop: number, hash: number): number {
  for (let slot = hash; table[slot] !== 0; slot = (slot + 1) & hashMask) {
    if (isSameName(codes, start, stop, table[slot]! << 4)) return table[slot]!
  }
  return 0
}

function isSameName(codes: Uint16Array, start: number, stop: number, row: number): boolean {
  let at = start
  let wanted = row
  while (at < stop) {
    const code = codes[at++]!
    const letter = nameCodes[wanted++]!
    if (code !== letter && asciiLower(code) !== letter) return false
  }
  return nameCodes[wanted] === 0
}

export function asciiLower(code: number): number {
  return code >= 65 && code <= 90 ? code | 32 : code
}

/** HTML ignores case only for ASCII letters. */
export function lowerCaseName(name: string): string {
  for (let index = 0; index < name.length; index++) {
    if (asciiLower(name.charCodeAt(index)) !== name.charCodeAt(index)) return foldCase(name)
  }
  return name
}

function foldCase(name: string): string {
  return name.replace(/[A-Z]+/g, letters => letters.toLowerCase())
}
