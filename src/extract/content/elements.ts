// Roles of elements, by tag name and by ARIA role.
import { nameSet } from '../document/index.ts'
import type { Role } from './names.ts'

/** Elements without text for readers. */
export const unreadable = nameSet(
  ...(
    'script style template noscript iframe object embed svg canvas audio video head datalist noembed noframes param source ' +
    'track rp'
  ).split(' '),
)

/** Form controls. Their labels are not content. */
export const controls = nameSet('button', 'select', 'textarea', 'input')

/** Elements whose tag name implies a role. */
export const tagsWithRole = nameSet('nav', 'menu', 'search', 'footer', 'aside', 'dialog', 'figcaption')
export const roleByTag: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['nav', 'navigation'],
  ['menu', 'navigation'],
  ['search', 'navigation'],
  ['footer', 'footer'],
  ['aside', 'sidebar'],
  ['dialog', 'overlay'],
  ['figcaption', 'caption'],
])

export const roleByAria: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['navigation', 'navigation'],
  ['contentinfo', 'footer'],
  ['search', 'navigation'],
  ['dialog', 'overlay'],
  ['alertdialog', 'overlay'],
  ['menu', 'navigation'],
  ['menubar', 'navigation'],
  ['toolbar', 'share'],
  ['banner', 'navigation'],
  ['complementary', 'sidebar'],
])

/** Elements whose class and id are used to derive a role. */
export const named = nameSet(
  ...(
    'div section ul ol li dl dd aside header footer form table td p span article details center figure nav small time ' +
    'address h2 h3 h4 h5 h6 a strong em b i blockquote label figcaption'
  ).split(' '),
)
