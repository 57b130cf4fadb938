// Rules for start tags in the body: which elements they close first, and how they are added.

import { flag, none } from '../records.ts'
import { factsOf, firstOwnName, is, tag, tagIds } from '../tags.ts'
import {
  addHeadContent,
  closeParagraph,
  doubtPartInTemplate,
  mergeAttributes,
  openRawText,
} from './elements.ts'
import { done, mode, type Rule } from './modes.ts'
import type { TreeBuilder } from './tree-builder.ts'

export function startInBody(builder: TreeBuilder): boolean {
  const name = builder.name
  return name < firstOwnName ? rules[name]!(builder) : open(builder)
}

/** True if the start tag only ends a paragraph and opens an element. */
export function opensPlainly(name: number): boolean {
  return plainRules.includes(rules[name]!)
}

export function endsParagraph(name: number): boolean {
  return rules[name] === openBlock
}

/** Opens an element. Formatting that is open outside it continues inside it. */
function open(builder: TreeBuilder): boolean {
  builder.repairs?.reconstruct()
  builder.openElement(builder.name)
  return done
}

function openFormatting(builder: TreeBuilder): boolean {
  const { repairs } = builder
  repairs?.reconstruct()
  const node = builder.openElement(builder.name)
  repairs?.addFormatting(node)
  return done
}

/** Opens an element such as `object`. Formatting that is open outside it does not continue inside it. */
function openMarked(builder: TreeBuilder): boolean {
  builder.repairs?.reconstruct()
  builder.openElement(builder.name)
  builder.repairs?.addMarker()
  return done
}

function openTemplate(builder: TreeBuilder): boolean {
  builder.openElement(builder.name)
  builder.repairs?.addMarker()
  return done
}

function addVoid(builder: TreeBuilder): boolean {
  builder.repairs?.reconstruct()
  return addUnformatted(builder)
}

function addUnformatted(builder: TreeBuilder): boolean {
  builder.appendElement(builder.name === tag.image ? tag.img : builder.name)
  return done
}

/** Ignores tags that have no meaning in the body, such as parts of tables. */
function ignore(builder: TreeBuilder): boolean {
  doubtPartInTemplate(builder)
  return done
}

function openBlock(builder: TreeBuilder): boolean {
  closeParagraph(builder)
  builder.openElement(builder.name)
  return done
}

function openHeading(builder: TreeBuilder): boolean {
  closeParagraph(builder)
  if (factsOf(builder.currentName) & is.heading) builder.pop()
  builder.openElement(builder.name)
  return done
}

/** The first newline after the tag is not part of the text. */
function openPreformatted(builder: TreeBuilder): boolean {
  builder.skipsNewline = true
  return openBlock(builder)
}

function openForm(builder: TreeBuilder): boolean {
  if (builder.isOpen(tag.template)) builder.doubtful('form in a template')
  if (builder.formNode !== none) return done
  closeParagraph(builder)
  builder.formNode = builder.openElement(builder.name)
  return done
}

function openListItem(builder: TreeBuilder): boolean {
  closeOpenItem(builder, tag.li, tag.li)
  return openBlock(builder)
}

function openDefinition(builder: TreeBuilder): boolean {
  closeOpenItem(builder, tag.dd, tag.dt)
  return openBlock(builder)
}

/** A list item closes the previous one, unless another block is open between them. `div`, `p` and `address` do not
 *  prevent it. */
function closeOpenItem(builder: TreeBuilder, first: number, second: number): void {
  if (!builder.isOpen(first) && !builder.isOpen(second)) return
  for (let depth = builder.depth; depth > 0; depth--) {
    const name = builder.openNames[depth]!
    if (name === first || name === second) {
      builder.closeImpliedEnds(name)
      builder.closeFrom(depth)
      return
    }
    const isTransparent = name === tag.div || name === tag.p || name === tag.address
    if (factsOf(name) & is.special && !isTransparent) return
  }
}

function openPlaintext(builder: TreeBuilder): boolean {
  if (builder.repairs !== null) builder.doubtful('plaintext behind open formatting')
  closeParagraph(builder)
  openRawText(builder)
  return done
}

function openButton(builder: TreeBuilder): boolean {
  const depth = builder.depthInScope(tag.button)
  if (depth !== none) {
    builder.closeImpliedEnds()
    builder.closeFrom(depth)
  }
  return open(builder)
}

function openLink(builder: TreeBuilder): boolean {
  if (builder.repairs !== null) builder.repairs.endOpenLink()
  else if (builder.isOpen(tag.a) && isOpenBelowMarker(builder, tag.a)) builder.doubtful('<a> inside <a>')
  return openFormatting(builder)
}

function isOpenBelowMarker(builder: TreeBuilder, name: number): boolean {
  for (let depth = builder.depth; depth > 0; depth--) {
    const openName = builder.openNames[depth]!
    if (openName === name) return true
    if (factsOf(openName) & is.marker) return false
  }
  return false
}

function openNobr(builder: TreeBuilder): boolean {
  builder.repairs?.reconstruct()
  if (builder.depthInScope(tag.nobr) === none) return openFormatting(builder)
  if (builder.repairs === null) builder.doubtful('<nobr> inside <nobr>')
  else builder.repairs.adopt(tag.nobr)
  return openFormatting(builder)
}

/** In quirks mode a table may be inside a paragraph; otherwise it ends the paragraph. */
function openTable(builder: TreeBuilder): boolean {
  if (builder.quirks === 'no') closeParagraph(builder)
  else if (builder.quirks === 'unknown' && builder.depthInScope(tag.p, tag.button) !== none) {
    builder.doubtful('table in a paragraph under an old doctype')
  }
  builder.openElement(builder.name)
  builder.mode = mode.inTable
  return done
}

function addRule(builder: TreeBuilder): boolean {
  closeParagraph(builder)
  return addUnformatted(builder)
}

function openTextarea(builder: TreeBuilder): boolean {
  openRawText(builder)
  builder.skipsNewline = true
  return done
}

function openExample(builder: TreeBuilder): boolean {
  closeParagraph(builder)
  builder.repairs?.reconstruct()
  openRawText(builder)
  return done
}

function openSelect(builder: TreeBuilder): boolean {
  builder.repairs?.reconstruct()
  builder.openElement(builder.name)
  const isInTable = builder.mode >= mode.inTable && builder.mode <= mode.inCell
  builder.mode = isInTable ? mode.inSelectInTable : mode.inSelect
  return done
}

function openOption(builder: TreeBuilder): boolean {
  if (builder.currentName === tag.option) builder.pop()
  return open(builder)
}

function openRubyBase(builder: TreeBuilder): boolean {
  if (builder.depthInScope(tag.ruby) !== none) builder.closeImpliedEnds()
  builder.openElement(builder.name)
  return done
}

function openRubyText(builder: TreeBuilder): boolean {
  if (builder.depthInScope(tag.ruby) !== none) builder.closeImpliedEnds(tag.rtc)
  builder.openElement(builder.name)
  return done
}

function openForeign(builder: TreeBuilder): boolean {
  builder.repairs?.reconstruct()
  if (builder.selfClosing) builder.appendElement(builder.name, flag.foreign)
  else builder.openElement(builder.name, flag.foreign)
  return done
}

function addHead(builder: TreeBuilder): boolean {
  addHeadContent(builder)
  return done
}

function ignoreSecond(builder: TreeBuilder): boolean {
  mergeAttributes(builder)
  return done
}

function refuseFrameset(builder: TreeBuilder): boolean {
  builder.doubtful('frameset')
  return done
}

const table: Array<[Rule, string]> = [
  [
    openBlock,
    'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header ' +
      'hgroup main menu nav ol p search section summary ul',
  ],
  [openHeading, 'h1 h2 h3 h4 h5 h6'],
  [openPreformatted, 'pre listing'],
  [openForm, 'form'],
  [openListItem, 'li'],
  [openDefinition, 'dd dt'],
  [openPlaintext, 'plaintext'],
  [openButton, 'button'],
  [openLink, 'a'],
  [openNobr, 'nobr'],
  [openTable, 'table'],
  [openFormatting, 'b big code em font i s small strike strong tt u'],
  [openMarked, 'applet marquee object'],
  [openTemplate, 'template'],
  [addVoid, 'area br embed img image keygen wbr input'],
  [addUnformatted, 'param source track'],
  [addRule, 'hr'],
  [openTextarea, 'textarea'],
  [openExample, 'xmp'],
  [addHead, 'iframe noembed noframes style script title base basefont bgsound link meta'],
  [openSelect, 'select'],
  [openOption, 'optgroup option'],
  [openRubyBase, 'rb rtc'],
  [openRubyText, 'rt rp'],
  [openForeign, 'math svg'],
  [ignore, 'caption col colgroup frame head tbody td tfoot th thead tr'],
  [ignoreSecond, 'html body'],
  [refuseFrameset, 'frameset'],
]

const plainRules: Rule[] = [open, openFormatting, openMarked, openTemplate, openBlock]

const rules: Rule[] = new Array(firstOwnName).fill(open)
for (const [rule, names] of table) {
  for (const name of names.split(' ')) rules[tagIds.get(name)!] = rule
}
