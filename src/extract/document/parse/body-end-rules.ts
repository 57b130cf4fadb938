// Rules for end tags in the body: which elements they close, or that they are ignored.

import { none } from '../records.ts'
import { factsOf, firstOwnName, is, tag, tagIds } from '../tags.ts'
import { mergeAttributes } from './elements.ts'
import { again, done, mode, type Rule } from './modes.ts'
import { resetMode } from './reset-mode.ts'
import type { TreeBuilder } from './tree-builder.ts'

export function endInBody(builder: TreeBuilder): boolean {
  const name = builder.name
  if (name === builder.currentName && factsOf(name) & is.plainEnd && builder.repairs === null) {
    builder.pop()
    return done
  }
  return name < firstOwnName ? rules[name]!(builder) : closeOther(builder)
}

/** After `</body>` only white space and comments are expected. Any other tag continues the body. */
export function endAfterBody(builder: TreeBuilder): boolean {
  if (builder.mode === mode.afterBody && builder.name === tag.html) {
    builder.mode = mode.afterAfterBody
    return done
  }
  builder.mode = mode.inBody
  return again
}

export function startAfterBody(builder: TreeBuilder): boolean {
  if (builder.name === tag.html) {
    mergeAttributes(builder)
    return done
  }
  builder.mode = mode.inBody
  return again
}

function closeBlock(builder: TreeBuilder): boolean {
  const depth = builder.depthInScope(builder.name)
  if (depth === none) return done
  builder.closeImpliedEnds()
  builder.closeFrom(depth)
  return done
}

/** If no paragraph is open, `</p>` creates an empty one. */
function closeP(builder: TreeBuilder): boolean {
  const depth = builder.depthInScope(tag.p, tag.button)
  if (depth === none) {
    if (builder.currentName === tag.template) builder.doubtful('</p> in a template')
    builder.openImplied(tag.p, builder.start)
    builder.pop()
    return done
  }
  builder.closeImpliedEnds(tag.p)
  builder.closeFrom(depth)
  return done
}

function closeListItem(builder: TreeBuilder): boolean {
  return closeItem(builder, builder.depthInScope(tag.li, tag.ol, tag.ul))
}

function closeDefinition(builder: TreeBuilder): boolean {
  return closeItem(builder, builder.depthInScope(builder.name))
}

function closeItem(builder: TreeBuilder, depth: number): boolean {
  if (depth === none) return done
  builder.closeImpliedEnds(builder.name)
  builder.closeFrom(depth)
  return done
}

/** The end tag of any heading closes the open heading, whatever its level. */
function closeHeading(builder: TreeBuilder): boolean {
  for (let depth = builder.depth; depth > 0; depth--) {
    const facts = factsOf(builder.openNames[depth]!)
    if (facts & is.heading) {
      builder.closeImpliedEnds()
      builder.closeFrom(depth)
      return done
    }
    if (facts & is.scope) return done
  }
  return done
}

function closeBody(builder: TreeBuilder): boolean {
  if (builder.depthInScope(tag.body) !== none) builder.mode = mode.afterBody
  return done
}

function closeHtml(builder: TreeBuilder): boolean {
  if (builder.depthInScope(tag.body) !== none) builder.mode = mode.afterAfterBody
  return done
}

function closeForm(builder: TreeBuilder): boolean {
  if (builder.isOpen(tag.template)) builder.doubtful('form in a template')
  const form = builder.formNode
  builder.formNode = none
  const depth = builder.depthInScope(tag.form)
  if (form === none || depth === none) return done
  builder.closeImpliedEnds()
  if (builder.currentNode === form) builder.pop()
  else if (builder.repairs !== null) builder.repairs.removeNode(form)
  else {
    builder.doubtful('</form> with other elements open')
    builder.closeFrom(depth)
  }
  return done
}

function addBreak(builder: TreeBuilder): boolean {
  if (builder.currentName === tag.template) builder.doubtful('</br> in a template')
  builder.repairs?.reconstruct()
  builder.openImplied(tag.br, builder.start)
  builder.pop()
  return done
}

function closeMarker(builder: TreeBuilder): boolean {
  const depth = builder.depthInScope(builder.name)
  if (depth === none) return done
  builder.closeImpliedEnds()
  builder.closeMarkerFrom(depth)
  return done
}

/** If formatting elements are not closed in order, the HTML standard moves elements. Without `repairs`, the page is
 *  then doubtful. */
function closeFormatting(builder: TreeBuilder): boolean {
  if (builder.repairs !== null) return builder.repairs.adopt(builder.name) || closeOther(builder)
  if (!builder.isOpen(builder.name)) return done
  let crosses = false
  for (let depth = builder.depth; depth > 0; depth--) {
    const name = builder.openNames[depth]!
    if (name === builder.name) {
      if (crosses) builder.doubtful(`</${builder.nameText(name)}> across other elements`)
      builder.closeFrom(depth)
      return done
    }
    const facts = factsOf(name)
    if (facts & is.scope) return done
    if (facts & is.special) crosses = true
  }
  return done
}

function closeOther(builder: TreeBuilder): boolean {
  if (!builder.isOpen(builder.name)) return done
  for (let depth = builder.depth; depth > 0; depth--) {
    const name = builder.openNames[depth]!
    if (name === builder.name) {
      builder.closeImpliedEnds(name)
      builder.closeFrom(depth)
      return done
    }
    if (factsOf(name) & is.special) return done
  }
  return done
}

/** Closes the template and all elements in it. */
function closeTemplate(builder: TreeBuilder): boolean {
  const depth = builder.depthOf(tag.template)
  if (depth === none) return done
  builder.closeMarkerFrom(depth)
  resetMode(builder)
  return done
}

const table: Array<[Rule, string]> = [
  [closeFormatting, 'a b big code em font i nobr s small strike strong tt u'],
  [closeP, 'p'],
  [
    closeBlock,
    'address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer ' +
      'header hgroup listing main menu nav ol pre search section summary ul',
  ],
  [closeListItem, 'li'],
  [closeDefinition, 'dd dt'],
  [closeHeading, 'h1 h2 h3 h4 h5 h6'],
  [addBreak, 'br'],
  [closeBody, 'body'],
  [closeHtml, 'html'],
  [closeForm, 'form'],
  [closeMarker, 'applet marquee object'],
  [closeTemplate, 'template'],
]

const rules: Rule[] = new Array(firstOwnName).fill(closeOther)
for (const [rule, names] of table) {
  for (const name of names.split(' ')) rules[tagIds.get(name)!] = rule
}
