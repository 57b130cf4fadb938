// The shape of a page in a few figures: how much of its text runs, links, or is code.
import { unreadElements } from './block-elements.ts'
import type { FlatDocument, NodeId } from './document/index.ts'

/** Lengths in characters, white space at the ends of texts not counted. */
export interface PageShape {
  textLength: number
  linkLength: number
  /** Text of paragraphs that are long enough to be sentences, outside of links. */
  proseLength: number
  codeLength: number
  /** The class of the body. */
  bodyClass: string
  /** Whether a line of its own says "Ingredients", in one of many languages. */
  namesIngredients: boolean
}

/** A text this long in one piece is a sentence, not a label. */
const sentenceLength = 60

/** What stands around the content of any page says nothing about its kind. */
const around = new Set('nav footer aside menu select dialog'.split(' '))

const ingredients = new Set(
  (
    'ingredients|recipe ingredients|zutaten|ingrédients|ingredientes|ingredienti|składniki|ingrediënten|ingredienten|ingredienser|' +
    'ингредиенты|інгредієнти|материалы и ингредиенты|材料|食材|用料|재료|malzemeler|hozzávalók|ingrediente|suroviny|ingredience|' +
    'sastojci|sestavine|ainekset|ainesosat|υλικά|συστατικά|المكونات|المقادير|مواد لازم|सामग्री|bahan-bahan|bahan|nguyên liệu|מצרכים|מרכיבים'
  ).split('|'),
)
/** Of such a line, in either case: most lines are told apart by it. */
const firstCodes = new Set(
  [...ingredients].flatMap(text => [text.charCodeAt(0), text.toUpperCase().charCodeAt(0)]),
)
const bare = (text: string): string => text.toLowerCase().replace(/[:：\s]+$/u, '')

export function pageShape(document: FlatDocument): PageShape {
  const shape: PageShape = {
    textLength: 0,
    linkLength: 0,
    proseLength: 0,
    codeLength: 0,
    namesIngredients: false,
    bodyClass: '',
  }
  let linkEnd: NodeId = 0
  let codeEnd: NodeId = 0
  for (let node = 1; node < document.size; node++) {
    if (document.isText(node)) {
      const text = document.text(node).trim()
      const { length } = text
      if (length > 1 && length < 24 && firstCodes.has(text.charCodeAt(0)) && ingredients.has(bare(text)))
        shape.namesIngredients = true
      shape.textLength += length
      if (node < codeEnd) shape.codeLength += length
      else if (node < linkEnd) shape.linkLength += length
      else if (length >= sentenceLength) shape.proseLength += length
    } else if (document.isElement(node)) {
      const name = document.name(node)
      if (unreadElements.has(name) || around.has(name)) node = document.end(node) - 1
      else if (name === 'a') linkEnd = document.end(node)
      else if (name === 'body') shape.bodyClass ||= document.attribute(node, 'class') ?? ''
      else if (name === 'pre') codeEnd = document.end(node)
    }
  }
  return shape
}
