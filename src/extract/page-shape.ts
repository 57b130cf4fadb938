// The shape of a page in a few numbers: running text, links and code.
import { unreadElements } from './block-elements.ts'
import { type PageTexts, pageTexts } from './content/page-texts.ts'
import { type FlatDocument, type NodeId, nameSet, tag } from './document/index.ts'

/** Lengths are in characters, without white space at the ends of texts. */
export interface PageShape {
  textLength: number
  linkLength: number
  /** Total length of the texts that are outside links and long enough to be sentences. */
  proseLength: number
  codeLength: number
  /** Length of the longest run of prose. Links inside the run reduce its length. */
  stretchLength: number
  /** The class attribute of the body. */
  bodyClass: string
  /** True if a line says only "Ingredients", in one of many languages. */
  namesIngredients: boolean
  /** Text nodes outside links that say "Ingredients" or start with an amount. */
  ingredientLines: NodeId[]
}

/** A single text of at least this many characters is a sentence, not a label. */
const sentenceLength = 60

/** Each character of link text shortens the current run of prose by this many characters. */
const linkWeight = 3

/** Elements around the content. They say nothing about the kind of the page. */
const around = 'nav footer aside menu select dialog'.split(' ')
const skipped = nameSet(...unreadElements, ...around)

const ingredients = new Set(
  (
    'ingredients|recipe ingredients|zutaten|ingrédients|ingredientes|ingredienti|składniki|ingrediënten|ingredienten|ingredienser|' +
    'ингредиенты|інгредієнти|материалы и ингредиенты|材料|食材|用料|재료|malzemeler|hozzávalók|ingrediente|suroviny|ingredience|' +
    'sastojci|sestavine|ainekset|ainesosat|υλικά|συστατικά|المكونات|المقادير|مواد لازم|सामग्री|bahan-bahan|bahan|nguyên liệu|מצרכים|מרכיבים'
  ).split('|'),
)
/** First characters of the words for "Ingredients", in both letter cases. Lines that start with another character are
 *  skipped quickly. */
const firstCodes = new Set(
  [...ingredients].flatMap(text => [text.charCodeAt(0), text.toUpperCase().charCodeAt(0)]),
)
/** An amount with a unit as recipes write it, in many languages. */
const amount =
  /^(?:ca\.? ?)?[\d½¼¾⅓⅔⅛⅜]+(?:[.,/⁄–-] ?\d+)?[ \u00a0]?[½¼¾⅓⅔⅛]?[ \u00a0]?(?:g|gr|gramm?e?s?|kg|ml|cl|dl|l|lit(?:er|re)s?|oz|ounces?|lbs?|pounds?|cups?|tsp|tbsp|teaspoons?|tablespoons?|cloves?|pinch|sticks?|tl|el|prisen?|zehen?|stück|bund|dosen?|becher|tasses?|cuill[èe]res?|c\.? ?à|gousses?|cucharad(?:it)?as?|cdas?|cditas?|tazas?|dientes|colher(?:es)?|xícaras?|cucchiai(?:ni|o)?|spicchio?|łyżk[ai]|łyżeczk[ai]|szt|szklank[ai]|msk|tsk|krm|st|dkg|kk|ek|bögre|adet|su bardağı|yemek kaşığı|г|гр|кг|мл|л|ст\. ?л|ч\. ?л|шт|стакан\p{L}*)(?![\p{L}\d])\.?/iu

const isDigit = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 0xbc && code <= 0xbe) || (code >= 0x2153 && code <= 0x215e)

function bare(text: string): string {
  let stop = text.length
  while (stop > 0 && (colons.includes(text[stop - 1]!) || text[stop - 1]!.trim() === '')) stop--
  return text.slice(0, stop).toLowerCase()
}
const colons = ':：'

export function pageShape(document: FlatDocument): PageShape {
  const shape: PageShape = {
    textLength: 0,
    linkLength: 0,
    proseLength: 0,
    codeLength: 0,
    stretchLength: 0,
    namesIngredients: false,
    ingredientLines: [],
    bodyClass: '',
  }
  const texts = pageTexts(document)
  const { size } = document
  let linkEnd: NodeId = 0
  let codeEnd: NodeId = 0
  let stretch = 0
  for (let node = 1; node < size; node++) {
    if (document.isText(node)) {
      const length = trimmedLength(document, texts, node)
      if (length > 1 && length < longestAmount && mayTell(firstCode)) {
        const text = document.text(node).trim()
        if (length < 24 && firstCodes.has(firstCode) && ingredients.has(bare(text))) {
          shape.namesIngredients = true
          if (node >= linkEnd) shape.ingredientLines.push(node)
        }
        if (isDigit(firstCode)) noteAmount(shape, node, text)
      }
      shape.textLength += length
      if (node < codeEnd) shape.codeLength += length
      else if (node < linkEnd) {
        shape.linkLength += length
        stretch = Math.max(0, stretch - length * linkWeight)
      } else if (length >= sentenceLength) {
        shape.proseLength += length
        stretch += length
        if (stretch > shape.stretchLength) shape.stretchLength = stretch
      }
    } else if (document.isElement(node)) {
      const id = document.tag(node)
      if (skipped[id] === 1) node = document.end(node) - 1
      else if (id === tag.a) linkEnd = document.end(node)
      else if (id === tag.body) shape.bodyClass ||= document.attribute(node, 'class') ?? ''
      else if (id === tag.pre) codeEnd = document.end(node)
    }
  }
  return shape
}

const mayTell = (code: number): boolean => isDigit(code) || firstCodes.has(code)

/** Code of the first character of the text that was measured last. White space at its start is skipped. */
let firstCode = 0

/** The length of a text without white space at its ends. Creates a string only if the text must be decoded. */
function trimmedLength(document: FlatDocument, texts: PageTexts, node: NodeId): number {
  if (!texts.isClean(node)) return trimmedText(document.text(node))
  firstCode = document.markup.charCodeAt(texts.wordsStart(node))
  return texts.wordsLength(node)
}

function trimmedText(text: string): number {
  const trimmed = text.trim()
  firstCode = trimmed.charCodeAt(0)
  return trimmed.length
}

const longestAmount = 200
const mostAmounts = 100

function noteAmount(shape: PageShape, node: NodeId, text: string): void {
  if (shape.ingredientLines.length < mostAmounts && amount.test(text)) shape.ingredientLines.push(node)
}
