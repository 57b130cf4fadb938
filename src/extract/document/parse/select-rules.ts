// Rules inside a select. A select contains options, groups and scripts. Other tags are ignored, or they end the select.

import { none } from '../records.ts'
import { factsOf, is, tag } from '../tags.ts'
import { addHeadContent, mergeAttributes } from './elements.ts'
import { again, done, mode } from './modes.ts'
import { resetMode } from './reset-mode.ts'
import type { TreeBuilder } from './tree-builder.ts'

function closeSelect(builder: TreeBuilder): void {
  const depth = builder.depthOf(tag.select)
  if (depth !== none) builder.closeSilentlyFrom(depth)
  resetMode(builder)
}

function endsSelectInTable(builder: TreeBuilder): boolean {
  const name = builder.name
  const isPart = (factsOf(name) & is.tablePart) !== 0 && name !== tag.col && name !== tag.colgroup
  return builder.mode === mode.inSelectInTable && (isPart || name === tag.table)
}

export function startInSelect(builder: TreeBuilder): boolean {
  const name = builder.name
  if (endsSelectInTable(builder)) {
    closeSelect(builder)
    return again
  }
  switch (name) {
    case tag.option:
      closeOption(builder)
      builder.openElement(name)
      return done
    case tag.optgroup:
      closeOptionAndGroup(builder)
      builder.openElement(name)
      return done
    case tag.hr:
      closeOptionAndGroup(builder)
      builder.appendElement(name)
      return done
    case tag.script:
      addHeadContent(builder)
      return done
    case tag.html:
      mergeAttributes(builder)
      return done
    case tag.template:
      builder.doubtful('template')
      return done
    default:
      return startBesideOptions(builder)
  }
}

/** A form field or a second select ends the first one. The second select tag itself is ignored. */
function startBesideOptions(builder: TreeBuilder): boolean {
  const name = builder.name
  if (name === tag.select) {
    closeSelect(builder)
    return done
  }
  if (name !== tag.input && name !== tag.keygen && name !== tag.textarea) return done
  closeSelect(builder)
  return again
}

function closeOption(builder: TreeBuilder): void {
  if (builder.currentName === tag.option) builder.pop()
}

function closeOptionAndGroup(builder: TreeBuilder): void {
  closeOption(builder)
  if (builder.currentName === tag.optgroup) builder.pop()
}

export function endInSelect(builder: TreeBuilder): boolean {
  const name = builder.name
  if (endsSelectInTable(builder)) {
    if (builder.depthInTableScope(name) === none) return done
    closeSelect(builder)
    return again
  }
  if (name === tag.template && builder.isOpen(tag.template)) builder.doubtful('template')
  if (name === tag.select) closeSelect(builder)
  else if (name === tag.option) closeOption(builder)
  else if (name === tag.optgroup) closeGroup(builder)
  return done
}

function closeGroup(builder: TreeBuilder): void {
  const isInGroup = builder.openNames[builder.depth - 1] === tag.optgroup
  if (builder.currentName === tag.option && isInGroup) builder.pop()
  if (builder.currentName === tag.optgroup) builder.pop()
}
