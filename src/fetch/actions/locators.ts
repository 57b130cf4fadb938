// Converts selectors to Playwright locators. Each kind of selector uses the matching Playwright engine.
import type { Frame, Locator } from 'playwright-core'
import { readSelector, type SelectorAlternative } from '../../model/page/selector-text.ts'

/** Where to search: a frame, or an element in it. */
type Root = Frame | Locator

/** Builds a locator for one alternative of a selector. A list starts with the outermost shadow host and ends with the
 *  element. Playwright's CSS engine pierces shadow roots. */
export function locatorOf(root: Root, alternative: SelectorAlternative): Locator {
  const path = typeof alternative === 'string' ? [alternative] : alternative
  return path.reduce<Root>((from, selector) => one(from, selector), root) as Locator
}

function one(root: Root, selector: string): Locator {
  const { kind, text } = readSelector(selector)
  if (kind === 'xpath') return root.locator(`xpath=${text}`)
  if (kind === 'text') return root.getByText(text)
  if (kind === 'aria') return ariaLocator(root, text)
  return root.locator(`css=${text}`)
}

/** Roles that elements with an accessible name usually have. Tried when the selector names no role. */
const namedRoles = [
  ...(['button', 'link', 'textbox', 'searchbox', 'combobox', 'checkbox', 'radio', 'switch', 'tab'] as const),
  ...(['menuitem', 'option', 'spinbutton', 'slider', 'heading', 'img', 'cell', 'row', 'listitem'] as const),
]
type Role = Parameters<Locator['getByRole']>[0]

/** Parses `Name`, `Name[role="button"]` or `[role="button"]`, as the recorder writes them. */
function ariaLocator(root: Root, text: string): Locator {
  const role = /\[\s*role\s*=\s*["']?([\w-]+)["']?\s*\]/.exec(text)?.[1]
  const name = text.replace(/\[\s*(?:role|name)\s*=[^\]]*\]/g, '').trim() || nameIn(text)
  if (role && role !== 'generic' && role !== 'StaticText')
    return root.getByRole(role as Role, name ? { name, exact: true } : {})
  if (!name) return root.locator('css=*')
  const named = namedRoles.map(each => root.getByRole(each, { name, exact: true }))
  return named.reduce(
    (all, each) => all.or(each),
    root.getByLabel(name, { exact: true }).or(exactText(root, name)),
  )
}

const nameIn = (text: string): string => /\[\s*name\s*=\s*["']([^"']*)["']\s*\]/.exec(text)?.[1] ?? ''

const exactText = (root: Root, text: string): Locator => root.getByText(text, { exact: true })

export const written = (alternative: SelectorAlternative): string =>
  typeof alternative === 'string' ? alternative : alternative.join(' >>> ')
