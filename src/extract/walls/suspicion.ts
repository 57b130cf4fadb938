// A fast check whether a page could be a wall: it has little text, and a title, sentence or marker of a wall. Most
// pages are excluded here.
import { cleanText } from '../../lib/text/clean-text.ts'
import { headerOf } from '../../model/page/page.ts'
import { unreadElements } from '../block-elements.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { challengeWords, waitingTitle } from './captcha.ts'
import { consentName, leadsToConsent } from './consent.ts'
import { leadsToLogin, loginName } from './login.ts'
import { leadsToNotFound, notFoundName } from './not-found.ts'
import { besideContent, titleParts } from './page-summary.ts'
import { refusedName, throttledName } from './refusal.ts'
import type { Answer } from './wall.ts'

/** A wall has at most `wallNodes` nodes and fewer than `wallCharacters` characters. */
const wallNodes = 2_500
const wallCharacters = 3_000
/** A page with less text than this may consist of one sentence that refuses the request. */
const oneSentence = 200
/** A page with at least this many links is a normal page. */
const fewLinks = 10

const wallNames = [
  refusedName,
  throttledName,
  loginName,
  consentName,
  notFoundName,
  challengeWords,
  waitingTitle,
]
/** Markers of walls in the URL or the first characters of a script, frame or form. */
const wallMarks =
  /captcha|challenge|turnstile|arkose|geetest|_cf_chl|gokuProps|cloudproxy|ddos-guard|_Incapsula_|_sec\/|_px|px-|frc-/i

/** `named`: the title or a heading could be that of a wall. `marked`: the page contains markers of a wall or widget, so
 *  its source is searched. */
type Suspicion = 'none' | 'named' | 'marked'

export function suspicionOf(answer: Answer): Suspicion {
  const { url, finalUrl, headers } = answer
  if (url !== finalUrl && leads.some(isThere => isThere(url, finalUrl))) return 'marked'
  if (headerOf(headers, 'cf-mitigated') !== null || headerOf(headers, 'x-amzn-waf-action') !== null)
    return 'marked'
  const document = answer.document()
  if (document.size > wallNodes) return 'none'
  const signs = signsOf(document)
  if (signs === null) return 'none'
  if (signs.isMarked) return 'marked'
  return isOneSentence(signs) || namesOf(document, signs.names).some(isWallName) ? 'named' : 'none'
}

const leads = [leadsToLogin, leadsToConsent, leadsToNotFound]

/** A page whose title does not name a wall is suspicious if it has one short sentence with a word that is
 *  typical of walls. */
const isOneSentence = ({ characters, links, text }: Signs): boolean =>
  characters < oneSentence && links < fewLinks && wallWords.test(text)

const wallWords =
  /session|sitzung|sesión|(?:logged|signed) out|too (?:many|fast|quickly|often)|limit|exceed|slow down|anfragen|requêtes|solicitudes|reject|block|incident|error code|denied|cloudfront|wordfence|sucuri/i

const isWallName = (name: string): boolean => wallNames.some(pattern => pattern.test(name))

interface Signs {
  characters: number
  /** The text of the page, collected only while it is short. */
  text: string
  links: number
  /** The title and headings. */
  names: NodeId[]
  isMarked: boolean
}

/** Null as soon as the page has much text, so that most pages are not read to the end. */
function signsOf(document: FlatDocument): Signs | null {
  const signs: Signs = { characters: 0, text: '', links: 0, names: [], isMarked: false }
  for (let node = 1; node < document.size; node++) {
    if (document.isText(node)) {
      const text = document.text(node).trim()
      if (signs.characters < oneSentence && text !== '') signs.text += ` ${text}`
      signs.characters += text.length
      if (signs.characters >= wallCharacters) return null
    } else if (document.isElement(node)) node = meet(document, node, signs)
  }
  return signs
}

type Part = 'name' | 'mark' | 'beside'
const parts: ReadonlyMap<string, Part> = new Map<string, Part>([
  ...[...unreadElements, ...besideContent].map((name): [string, Part] => [name, 'beside']),
  ...['title', 'h1', 'h2'].map((name): [string, Part] => [name, 'name']),
  ...['script', 'iframe', 'form', 'input', 'meta'].map((name): [string, Part] => [name, 'mark']),
])

/** Evaluates one element. Returns the last node of the element's subtree if the subtree is skipped, otherwise
 *  the node itself. */
function meet(document: FlatDocument, node: NodeId, signs: Signs): NodeId {
  const name = document.name(node)
  const part = parts.get(name)
  if (part === undefined || name === 'head') return node
  if (name === 'a') signs.links++
  else if (part === 'name') signs.names.push(node)
  else if (part === 'mark') signs.isMarked ||= isMarked(document, node, name)
  return part === 'beside' || name === 'title' || name === 'script' ? document.end(node) - 1 : node
}

const firstLines = 1_000

function isMarked(document: FlatDocument, node: NodeId, name: string): boolean {
  const tag = document.startTag(node)
  if (name === 'input') return /password/i.test(tag)
  if (name === 'meta') return /refresh/i.test(tag)
  if (wallMarks.test(tag)) return true
  return name === 'script' && wallMarks.test(document.text(node).slice(0, firstLines))
}

function namesOf(document: FlatDocument, nodes: NodeId[]): string[] {
  return nodes.flatMap(node => {
    const text = cleanText(document.text(node))
    return document.name(node) === 'title' ? titleParts(text) : [text]
  })
}
