// XPath as the rules use it.

import type { FlatDocument, NodeId } from '../document/index.ts'
import * as documents from '../document/index.ts'

export type XPath = unknown

interface XPathParts {
  compileXPath(xpath: string): XPath
  evaluateXPath(document: FlatDocument, xpath: XPath, from: NodeId): Array<NodeId | string>
}
const parts = () => documents as unknown as XPathParts
export const compileXPath = (xpath: string): XPath => parts().compileXPath(xpath)
export const evaluateXPath = (document: FlatDocument, xpath: XPath, from: NodeId): Array<NodeId | string> =>
  parts().evaluateXPath(document, xpath, from)
