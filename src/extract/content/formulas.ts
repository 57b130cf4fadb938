// Converts formulas of KaTeX, MathJax, MathML and others to LaTeX. Uses their annotations if they exist, otherwise
// their MathML.
import { cleanText } from '../../lib/text/clean-text.ts'
import { type FlatDocument, type NodeId, nameSet, nextNamed } from '../document/index.ts'
import { elementsNamed } from '../elements-named.ts'
import { mathMlToTex } from './mathml.ts'

export interface Formula {
  /** The LaTeX. Empty if another element contains the same formula. */
  tex: string
  isDisplay: boolean
  /** True if the page itself contains the LaTeX. False if it was converted from MathML. */
  isNoted: boolean
}

const wrapper =
  /(?:^|\s)(?:katex|katex-display|MathJax|MathJax_Display|MathJax_SVG|MathJax_CHTML|MathJax_Preview|mwe-math-element|math-inline|math-display|math-block|temml)(?:\s|$)/
const displays =
  /(?:^|\s)(?:katex-display|MathJax_Display|math-display|math-block|mwe-math-element-block)(?:\s|$)/
const texAttributes = ['data-math', 'data-latex', 'data-tex', 'alttext']
const wrappers = new Set('span div mjx-container script math p section figure'.split(' '))

const noted = ['data-math', 'data-latex', 'data-tex']
/** Parts of the class names of formula libraries. A page without them is skipped quickly. Short strings with a rare
 *  first character are found fastest. */
const partsOfNames = ['Jax', 'jx-', 'katex', 'we-mat']
const math = nameSet('math')

/** False if the page certainly has no formulas. Callers then skip the check of each element. */
export const mayHaveFormulas = (document: FlatDocument): boolean => document.derive(hasTraces)

function hasTraces(document: FlatDocument): boolean {
  const { source } = document
  if (noted.some(name => document.mayHaveAttribute(name) && source.includes(name))) return true
  if (partsOfNames.some(part => source.includes(part)) || nextNamed(document, math, 1) !== -1) return true
  return elementsNamed(document, 'script').some(node => isTexScript(document, node))
}

const isTexScript = (document: FlatDocument, node: NodeId): boolean =>
  fromScriptType.test(document.attribute(node, 'type') ?? '')

/** The formula of this element; null if the element is not a formula. */
export function formulaOf(document: FlatDocument, node: NodeId, name: string): Formula | null {
  if (!wrappers.has(name)) return null
  if (name === 'math') return fromMath(document, node)
  if (name === 'script') return fromScript(document, node)
  const classes = document.attribute(node, 'class') ?? ''
  const noted = notedTex(document, node)
  if (name !== 'mjx-container' && noted === null && !wrapper.test(classes)) return null
  // MathJax 2 adds a rendering next to the script that contains the formula. Only the script is written, so
  // the formula of the rendering is empty.
  if (isBesideScript(document, node)) return { tex: '', isDisplay: false, isNoted: true }
  const isDisplay = displays.test(classes) || document.attribute(node, 'display') === 'true'
  if (noted !== null) return { tex: noted, isDisplay, isNoted: true }
  const math = firstMath(document, node)
  if (math < 0) return /MathJax_Preview/.test(classes) ? { tex: '', isDisplay, isNoted: true } : null
  const formula = fromMath(document, math)
  return { ...formula, isDisplay: isDisplay || formula.isDisplay }
}

export const writtenFormula = ({ tex, isDisplay }: Formula): string =>
  tex === '' ? '' : isDisplay ? `$$${tex}$$` : `$${tex}$`

function fromMath(document: FlatDocument, math: NodeId): Formula {
  const isDisplay = document.attribute(math, 'display') === 'block'
  const noted = annotation(document, math) ?? notedTex(document, math)
  const tex = noted ?? mathMlToTex(document, math)
  return { tex: bare(tex), isDisplay, isNoted: noted !== null }
}

function fromScript(document: FlatDocument, script: NodeId): Formula | null {
  const type = document.attribute(script, 'type') ?? ''
  if (!/^\s*math\/tex/i.test(type)) return null
  return { tex: bare(document.text(script)), isDisplay: /mode\s*=\s*display/i.test(type), isNoted: true }
}

function annotation(document: FlatDocument, math: NodeId): string | null {
  for (let node = math + 1; node < document.end(math); node++) {
    if (!document.isElement(node) || document.name(node) !== 'annotation') continue
    if (/tex/i.test(document.attribute(node, 'encoding') ?? '')) return document.text(node)
  }
  return null
}

function notedTex(document: FlatDocument, node: NodeId): string | null {
  for (const attribute of texAttributes) {
    const tex = document.attribute(node, attribute)
    if (tex?.trim()) return bare(tex)
  }
  return null
}

function firstMath(document: FlatDocument, around: NodeId): NodeId {
  for (let node = around + 1; node < document.end(around); node++)
    if (document.isElement(node) && document.name(node) === 'math') return node
  return -1
}

/** True if the next element is the script of the formula or another rendering of it. */
function isBesideScript(document: FlatDocument, node: NodeId): boolean {
  for (let next = document.nextSibling(node); next >= 0; next = document.nextSibling(next)) {
    if (!document.isElement(next)) {
      if (document.isText(next) && cleanText(document.text(next)) !== '') return false
      continue
    }
    if (fromScriptType.test(document.attribute(next, 'type') ?? '')) return true
    if (!wrapper.test(document.attribute(next, 'class') ?? '')) return false
  }
  return false
}

const fromScriptType = /^\s*math\/tex/i

/** Removes delimiters, and a style command that only sets the size. */
function bare(tex: string): string {
  return cleanText(tex)
    .replace(/^\{\\displaystyle (.*)\}$/s, '$1')
    .replace(/^(\${1,2}|\\\(|\\\[)(.*)(\${1,2}|\\\)|\\\])$/s, '$2')
    .trim()
}
