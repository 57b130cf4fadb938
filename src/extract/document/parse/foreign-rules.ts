// Rules inside svg and math: tags are never implied, `/>` closes an element, and the letter case of names does not matter.

import { flag, nameShift, recordShift } from '../records.ts'
import { factsOf, is, tag } from '../tags.ts'
import { done } from './modes.ts'
import type { TreeBuilder } from './tree-builder.ts'

/** Elements of svg and math whose content is HTML. This parser lacks the rules for tags inside them, so such a tag
 *  makes the page doubtful. */
const integrationPoints = new Set<number>([
  tag.title,
  tag.desc,
  tag.foreignobject,
  tag.mi,
  tag.mo,
  tag.mn,
  tag.ms,
  tag.mtext,
])

function nameAt(builder: TreeBuilder, depth: number): number {
  return builder.records[builder.openNodes[depth]! << recordShift]! >> nameShift
}

export function startInForeign(builder: TreeBuilder): boolean {
  const current = nameAt(builder, builder.depth)
  if (integrationPoints.has(current) || builder.nameText(current) === 'annotation-xml') {
    builder.doubtful('html inside svg or math')
  } else if (factsOf(builder.name) & is.breakout) {
    builder.doubtful(`<${builder.nameText(builder.name)}> inside svg or math`)
  }
  if (builder.selfClosing) builder.appendElement(builder.name, flag.foreign)
  else builder.openElement(builder.name, flag.foreign)
  return done
}

export function endInForeign(builder: TreeBuilder): boolean {
  for (let depth = builder.depth; depth > 0 && builder.openNames[depth] === 0; depth--) {
    if (nameAt(builder, depth) === builder.name && !leavesForeign(builder.name)) {
      builder.closeSilentlyFrom(depth)
      return done
    }
  }
  builder.doubtful(`</${builder.nameText(builder.name)}> inside svg or math`)
  return done
}

function leavesForeign(name: number): boolean {
  return name === tag.p || name === tag.br
}
