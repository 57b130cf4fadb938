// Rules before the body: html, head and implied elements.

import { factsOf, is, tag } from '../tags.ts'
import { addHeadContent, mergeAttributes } from './elements.ts'
import { again, done, mode } from './modes.ts'
import type { TreeBuilder } from './tree-builder.ts'

/** Opens or closes the element whose tag is missing, and so leaves the current mode. */
export function implyNext(builder: TreeBuilder, at: number): void {
  switch (builder.mode) {
    case mode.initial:
      builder.mode = mode.beforeHtml
      return
    case mode.beforeHtml:
      builder.openImplied(tag.html, at)
      builder.mode = mode.beforeHead
      return
    case mode.beforeHead:
      builder.openImplied(tag.head, at)
      builder.mode = mode.inHead
      return
    case mode.inHead:
      builder.pop()
      builder.mode = mode.afterHead
      return
    case mode.inHeadNoscript:
      builder.pop()
      builder.mode = mode.inHead
      return
    case mode.afterHead:
      builder.openImplied(tag.body, at)
      builder.mode = mode.inBody
  }
}

function imply(builder: TreeBuilder): boolean {
  implyNext(builder, builder.start)
  return again
}

function openAndMove(builder: TreeBuilder, next: number): boolean {
  builder.openElement(builder.name)
  builder.mode = next
  return done
}

export function startInitial(builder: TreeBuilder): boolean {
  return imply(builder)
}

export function startBeforeHtml(builder: TreeBuilder): boolean {
  return builder.name === tag.html ? openAndMove(builder, mode.beforeHead) : imply(builder)
}

export function startBeforeHead(builder: TreeBuilder): boolean {
  if (builder.name === tag.html) return ignoreSecondHtml(builder)
  return builder.name === tag.head ? openAndMove(builder, mode.inHead) : imply(builder)
}

export function startInHead(builder: TreeBuilder): boolean {
  const name = builder.name
  if (name === tag.html) return ignoreSecondHtml(builder)
  if (name === tag.head) return done
  if (!(factsOf(name) & is.headContent)) return imply(builder)
  if (name === tag.noscript) return openAndMove(builder, mode.inHeadNoscript)
  if (name === tag.template) builder.doubtful('template in the head')
  if (name === tag.template) return imply(builder)
  addHeadContent(builder)
  return done
}

/** Scripts do not run here, so the content of noscript is part of the page. */
export function startInHeadNoscript(builder: TreeBuilder): boolean {
  const name = builder.name
  if (name === tag.html) return ignoreSecondHtml(builder)
  if (name === tag.head || name === tag.noscript) return done
  if (!allowedInHeadNoscript.has(name)) return imply(builder)
  addHeadContent(builder)
  return done
}

const allowedInHeadNoscript = new Set<number>([
  tag.basefont,
  tag.bgsound,
  tag.link,
  tag.meta,
  tag.noframes,
  tag.style,
])

export function startAfterHead(builder: TreeBuilder): boolean {
  const name = builder.name
  if (name === tag.html) return ignoreSecondHtml(builder)
  if (name === tag.head) return done
  if (name === tag.body) return openAndMove(builder, mode.inBody)
  if (name === tag.frameset) builder.doubtful('frameset')
  const belongsToHead = factsOf(name) & is.headContent && name !== tag.noscript
  if (belongsToHead) return addToClosedHead(builder)
  return imply(builder)
}

/** Tags of the head that occur between head and body are still added to the head. */
function addToClosedHead(builder: TreeBuilder): boolean {
  const { name, repairs } = builder
  if (repairs === null || name === tag.template) {
    builder.doubtful(`<${builder.nameText(name)}> between head and body`)
    return imply(builder)
  }
  const head = repairs.reopenHead()
  addHeadContent(builder)
  repairs.removeNode(head)
  return done
}

function ignoreSecondHtml(builder: TreeBuilder): boolean {
  mergeAttributes(builder)
  return done
}

function impliesBody(name: number): boolean {
  return name === tag.body || name === tag.html || name === tag.br
}

export function endInitial(builder: TreeBuilder): boolean {
  return imply(builder)
}

export function endBeforeHead(builder: TreeBuilder): boolean {
  return impliesBody(builder.name) || builder.name === tag.head ? imply(builder) : done
}

export function endInHead(builder: TreeBuilder): boolean {
  if (builder.name !== tag.head) return impliesBody(builder.name) ? imply(builder) : done
  imply(builder)
  return done
}

export function endInHeadNoscript(builder: TreeBuilder): boolean {
  if (builder.name === tag.br) return imply(builder)
  if (builder.name === tag.noscript) imply(builder)
  return done
}

export function endAfterHead(builder: TreeBuilder): boolean {
  return impliesBody(builder.name) ? imply(builder) : done
}
