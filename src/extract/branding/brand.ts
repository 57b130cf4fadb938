// Derives the brand of a page from its style sheets: colors, fonts, sizes and buttons. Uses no model. Values that the
// style sheets do not define are missing.
import { colorIn, isVivid, lightnessOf } from './colors.ts'
import { type StyleRule, styleRules } from './style-rules.ts'

/** Field names are those of Firecrawl. */
export interface StyleBrand {
  colorScheme?: 'light' | 'dark'
  colors: Record<string, string>
  fonts: Array<{ family: string }>
  typography: {
    fontFamilies?: Record<string, string>
    fontStacks?: Record<string, string[]>
    fontSizes?: Record<string, string>
    fontWeights?: Record<string, number>
  }
  spacing: { baseUnit?: number; borderRadius?: string }
  components: Record<string, Record<string, string>>
}

interface Said {
  /** The color in the page's `theme-color` meta element. */
  themeColor: string | null
  /** Value of the `color-scheme` meta element. */
  scheme: string | null
}

export function styleBrand(css: string, said: Said): StyleBrand {
  const sheet = new Sheet(styleRules(css))
  const colors = colorsOf(sheet, said)
  const scheme = schemeOf(said, colors.background)
  return {
    ...(scheme && { colorScheme: scheme }),
    colors,
    fonts: familiesOf(sheet).map(family => ({ family })),
    typography: typographyOf(sheet),
    spacing: spacingOf(sheet),
    components: componentsOf(sheet),
  }
}

/** Limits for replacing `var(…)`: characters per value, and values per page. Without them, properties that refer to
 *  each other could grow endlessly. */
const longestResolved = 2_000
const mostResolved = 20_000

/** The style rules of a page and their custom properties. Finds the style of an element by the text of the rules'
 *  selectors. */
class Sheet {
  readonly rules: StyleRule[]
  readonly variables = new Map<string, string>()
  #resolved = 0

  constructor(rules: StyleRule[]) {
    this.rules = rules
    for (const { selectors, declarations } of rules)
      if (selectors.some(selector => /^(?::root|html|body|:host)$/.test(selector)))
        for (const [name, value] of declarations) if (name.startsWith('--')) this.variables.set(name, value)
  }

  /** The last value of any of the properties, among the rules with a selector that matches the pattern. */
  value(selectors: RegExp, ...properties: string[]): string | null {
    let found: string | null = null
    for (const rule of this.rules)
      if (rule.selectors.some(selector => selectors.test(selector)))
        for (const property of properties) {
          const value = rule.declarations.get(property)
          if (value !== undefined) found = this.resolved(value) || found
        }
    return found
  }

  color(selectors: RegExp, ...properties: string[]): string | null {
    const value = this.value(selectors, ...properties)
    return value === null ? null : colorIn(value)
  }

  /** The value with each `var(--name, fallback)` replaced. Values beyond the limits become empty. */
  resolved(value: string, depth = 0): string {
    if (depth === 5 || !value.includes('var(')) return value
    this.#resolved += 1
    if (this.#resolved > mostResolved) return ''
    let length = 0
    const replaced = value.replace(
      /var\(\s*(--[\w-]+)\s*(?:,([^()]*(?:\([^()]*\)[^()]*)*))?\)/g,
      (_, name: string, fallback?: string) => {
        const own = this.variables.get(name.toLowerCase()) ?? fallback ?? ''
        length += own.length
        return length > longestResolved ? '' : own
      },
    )
    return replaced === value ? value : this.resolved(replaced, depth + 1).trim()
  }

  /** The color of the first custom property whose name matches. */
  variable(names: RegExp): string | null {
    for (const [name, value] of this.variables)
      if (names.test(name)) {
        const color = colorIn(this.resolved(value))
        if (color) return color
      }
    return null
  }
}

const page = /^(?:html|body|:root)$/
const link = /^a(?::link|:any-link)?$/
const heading = /^h1$/
const mainButton =
  /^(?:button|a)?\.(?:btn|button|cta)[-_]?(?:-|_)?primary$|^\.(?:btn|button)\.(?:btn-|is-)?primary$|^\.primary-(?:btn|button)$|^\.cta$/
const anyButton = /^(?:button|\.btn|\.button|\[type=["']?submit["']?\]|input\[type=["']?submit["']?\])$/
const sideButton =
  /^(?:button|a)?\.(?:btn|button)[-_]{1,2}secondary$|^\.(?:btn|button)\.(?:btn-|is-)?secondary$/
const field = /^(?:input|textarea|\.input|\.form-control|input\[type=["']?text["']?\])$/

function colorsOf(sheet: Sheet, { themeColor }: Said): Record<string, string> {
  const theme = themeColor === null ? null : colorIn(themeColor)
  const vivid = frequentColors(sheet)
  const primary =
    sheet.variable(/^--(?:[\w-]*-)?(?:primary|brand|main)(?:-(?:color|colour|500|600|base))?$/) ??
    sheet.color(mainButton, 'background', 'background-color') ??
    (theme && isVivid(theme) ? theme : null) ??
    vivid[0] ??
    null
  const others = vivid.filter(color => color !== primary)
  return present({
    primary,
    secondary:
      sheet.variable(/^--(?:[\w-]*-)?secondary(?:-(?:color|colour|500|600|base))?$/) ?? others[0] ?? null,
    accent: sheet.variable(/^--(?:[\w-]*-)?accent(?:-(?:color|colour|500|600|base))?$/) ?? others[1] ?? null,
    background:
      sheet.color(page, 'background', 'background-color') ??
      sheet.variable(/^--(?:[\w-]*-)?(?:bg|background)(?:-(?:color|colour|base|default))?$/),
    textPrimary:
      sheet.color(page, 'color') ??
      sheet.variable(/^--(?:[\w-]*-)?(?:text|fg|foreground)(?:-(?:color|primary|base))?$/),
    textSecondary: sheet.variable(/^--(?:[\w-]*-)?text-(?:secondary|muted)(?:-color)?$/),
    link: sheet.color(link, 'color') ?? sheet.variable(/^--(?:[\w-]*-)?link(?:-color)?$/),
    success: sheet.variable(/^--(?:[\w-]*-)?success(?:-(?:color|500))?$/),
    warning: sheet.variable(/^--(?:[\w-]*-)?warning(?:-(?:color|500))?$/),
    error: sheet.variable(/^--(?:[\w-]*-)?(?:error|danger)(?:-(?:color|500))?$/),
  })
}

/** Vivid colors, sorted by the number of declarations that use them, most first. */
function frequentColors(sheet: Sheet): string[] {
  const counts = new Map<string, number>()
  for (const { declarations } of sheet.rules)
    for (const [name, value] of declarations) {
      if (!/^(?:color|background|background-color|border-color|fill)$/.test(name)) continue
      const color = colorIn(sheet.resolved(value))
      if (color && isVivid(color)) counts.set(color, (counts.get(color) ?? 0) + 1)
    }
  return [...counts].sort((first, second) => second[1] - first[1]).map(([color]) => color)
}

function schemeOf({ scheme }: Said, background: string | undefined): 'light' | 'dark' | null {
  if (background) return lightnessOf(background) < 0.4 ? 'dark' : 'light'
  const first = scheme?.match(/\b(light|dark)\b/i)?.[1]?.toLowerCase()
  return first === 'light' || first === 'dark' ? first : null
}

/** Font families, without generic names such as `serif`. The families of body and headings come first, then
 *  those that `@font-face` loads. */
function familiesOf(sheet: Sheet): string[] {
  const stacks = [page, heading].map(selectors => stackOf(sheet, selectors)[0])
  const loaded = sheet.rules
    .filter(({ selectors }) => selectors.includes('@font-face'))
    .map(({ declarations }) => familiesIn(declarations.get('font-family') ?? '')[0])
  const icons = /icon|awesome|glyph|symbol/i
  return [...new Set([...stacks, ...loaded])]
    .filter(
      (family): family is string =>
        family !== undefined && !icons.test(family) && !generic.has(family.toLowerCase()),
    )
    .slice(0, 10)
}

const generic = new Set(
  'serif sans-serif monospace cursive fantasy system-ui ui-sans-serif ui-serif ui-monospace ui-rounded inherit initial unset -apple-system blinkmacsystemfont emoji math'.split(
    ' ',
  ),
)

function stackOf(sheet: Sheet, selectors: RegExp): string[] {
  const family = sheet.value(selectors, 'font-family')
  if (family !== null) return familiesIn(family)
  // In the `font` shorthand, the families follow the size.
  const short = sheet.value(selectors, 'font')
  return short === null ? [] : familiesIn(short.replace(/^.*?\d[\w.%]*(?:\s*\/\s*[\w.%]+)?\s+/, ''))
}

const familiesIn = (text: string): string[] =>
  text
    .split(',')
    .map(family => family.trim().replace(/^["']|["']$/g, ''))
    .filter(family => /^[\p{L}\p{N} _.-]{1,100}$/u.test(family))

function typographyOf(sheet: Sheet): StyleBrand['typography'] {
  const [body, head, code] = [stackOf(sheet, page), stackOf(sheet, heading), stackOf(sheet, /^(?:code|pre)$/)]
  const size = (selectors: RegExp) => lengthIn(sheet.value(selectors, 'font-size'))
  const weight = (selectors: RegExp) => weightIn(sheet.value(selectors, 'font-weight'))
  return filled({
    fontFamilies: present({ primary: body[0] ?? null, heading: head[0] ?? null, code: code[0] ?? null }),
    fontStacks: Object.fromEntries(
      Object.entries({ body, heading: head }).filter(([, stack]) => stack.length > 0),
    ),
    fontSizes: present({
      ...{ body: size(page), h1: size(/^h1$/), h2: size(/^h2$/), h3: size(/^h3$/), small: size(/^small$/) },
    }),
    fontWeights: present({ regular: weight(page), bold: weight(/^(?:h1|strong|b)$/) }),
  })
}

const lengthIn = (value: string | null): string | null =>
  value?.match(/^[\d.]+(?:px|rem|em|pt|%)$/)?.[0] ?? null

function weightIn(value: string | null): number | null {
  if (value === 'bold') return 700
  if (value === 'normal') return 400
  return value !== null && /^[1-9]\d{2}$/.test(value) ? Number(value) : null
}

function spacingOf(sheet: Sheet): StyleBrand['spacing'] {
  const unit = [...sheet.variables].find(([name]) =>
    /^--(?:[\w-]*-)?spac(?:e|ing)(?:-(?:unit|base|1))?$/.test(name),
  )?.[1]
  const baseUnit = unit?.match(/^(\d+(?:\.\d+)?)px$/)?.[1]
  const radius =
    lengthIn(sheet.value(mainButton, 'border-radius')) ??
    lengthIn(sheet.value(anyButton, 'border-radius')) ??
    lengthIn([...sheet.variables].find(([name]) => /radius/.test(name))?.[1] ?? null)
  return {
    ...(baseUnit !== undefined && { baseUnit: Number(baseUnit) }),
    ...(radius !== null && { borderRadius: radius }),
  }
}

function componentsOf(sheet: Sheet): StyleBrand['components'] {
  const button = (...kinds: RegExp[]) => {
    const color = (...properties: string[]) =>
      kinds.map(kind => sheet.color(kind, ...properties)).find(found => found !== null) ?? null
    const radius = kinds
      .map(kind => lengthIn(sheet.value(kind, 'border-radius')))
      .find(found => found !== null)
    return present({
      background: color('background', 'background-color'),
      textColor: color('color'),
      borderColor: color('border-color', 'border'),
      borderRadius: radius ?? null,
    })
  }
  const input = present({
    borderColor: sheet.color(field, 'border-color', 'border'),
    borderRadius: lengthIn(sheet.value(field, 'border-radius')),
  })
  return filled({ buttonPrimary: button(mainButton, anyButton), buttonSecondary: button(sideButton), input })
}

const present = <Value>(values: Record<string, Value | null>): Record<string, Value> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Record<string, Value>

/** Removes members that are empty objects. */
const filled = <Values extends Record<string, object>>(values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => Object.keys(value).length > 0)) as Values
