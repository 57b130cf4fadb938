// The rules that drop parts of a page. Each dropped node stores its rule as one byte, so that `try --why` can report
// it.
import type { Role } from './names.ts'

const ownRules = [
  'kept',
  'unread',
  'hidden',
  'control',
  'outside',
  'links',
  'read-more',
  'ending',
  'opening',
  'site-name',
  'repeated',
] as const
type OwnRule = Exclude<(typeof ownRules)[number], 'kept'>
export type DropRule = OwnRule | Exclude<Role, 'none' | 'callout'>

const texts: Record<DropRule, string> = {
  unread: 'scripts, frames and similar elements have no text for readers',
  hidden: 'readers do not see it',
  control: 'labels of buttons and fields',
  outside: 'outside the main content',
  links: 'mostly links',
  'read-more': 'points to another page',
  ending: 'short lines after the end of the article',
  opening: 'short lines before the start of the article',
  'site-name': 'the name of the site, not of the page',
  repeated: 'repeats earlier text',
  navigation: 'navigation',
  sidebar: 'a sidebar',
  related: 'related or recommended pages',
  comments: 'comments of readers',
  share: 'buttons to share or rate',
  tags: 'tags and categories',
  byline: 'date and byline',
  author: 'about the author',
  newsletter: 'newsletter or subscription',
  cookies: 'a cookie notice',
  advertisement: 'advertisement',
  overlay: 'a dialog above the page',
  contents: 'a table of contents',
  login: 'a login',
  footer: 'a footer',
  caption: 'the caption of an image',
}

const rules = Object.keys(texts) as DropRule[]
const codes = new Map(rules.map((rule, index) => [rule, index + 1]))

/** The code of a rule. Code 0 means that the node is not dropped. */
export const codeOf = (rule: DropRule): number => codes.get(rule)!

export const ruleOf = (code: number): DropRule | null => rules[code - 1] ?? null

export const ruleText = (rule: DropRule): string => texts[rule]
