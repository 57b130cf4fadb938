// The document of a page. Parse it, then query it by CSS selector, XPath or node.

export { FlatDocument } from './flat-document.ts'
export { nameSet, nextNamed } from './named-elements.ts'
export { parseDocument } from './parse/parse-document.ts'
export type { NodeId } from './records.ts'
export { matches, selectAll, selectFirst } from './select/select.ts'
export type { Selector } from './select/selector.ts'
export { compileSelector } from './select/selector-compile.ts'
export { tag } from './tags.ts'
export { compileXPath, evaluateXPath, type XPath } from './xpath/xpath.ts'
