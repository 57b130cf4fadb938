// Converts the scrape options of both API versions to one form. Unsupported options become warnings.
import type { FoundProxies } from '../../../model/policy/proxy.ts'
import {
  checkPagePart,
  checkSelector,
  type PagePart,
} from '../../../pipeline/work/documents/page-document.ts'
import type { OptionsV1, OptionsV2, TheirAction, TheirOptions } from './schemas.ts'

interface Screenshot {
  fullPage?: boolean | undefined
  quality?: number | undefined
  viewport?: { width: number; height: number } | undefined
}

export interface ChangeTracking {
  modes: Array<'git-diff' | 'json'>
  tag: string | null
  /** With mode `json`: the fields to compare. */
  schema?: JsonSchema | undefined
}

export type JsonSchema = Record<string, unknown>

/** The parts of the options that decide what a document contains. Stored with the job. */
export interface Wanted {
  formats: string[]
  part: PagePart
  keepsInlineImages: boolean
  json?: { schema: JsonSchema; prompt?: string } | undefined
  attributes?: Array<{ selector: string; attribute: string }> | undefined
  changes?: ChangeTracking | undefined
  /** The kinds of Firecrawl's actions, in order. */
  actions: string[]
  hasScreenshot: boolean
  warnings: string[]
}

/** All options, including those that only the job uses. */
export interface ScrapeOptions extends Wanted {
  screenshot: Screenshot | null
  steps: TheirAction[]
  headers: Record<string, string>
  languages: string[]
  waitForMs: number
  timeoutMs: number
  isMobile: boolean
  blocksAds: boolean
  isStealth: boolean
  /** Whether to retry once with another identity if the site blocks the request. */
  triesAgain: boolean
  /** Country to send the request from. */
  country: string | null
  /** The proxy for that country; empty if the operator's default applies. */
  proxy: FoundProxies['proxy']
  maxAgeMs: number | null
  session: string | null
  masksPersonalData: boolean
  /** The prompt of a `json` format without a schema. A model proposes the fields for it. */
  jsonPrompt?: string | undefined
}

/** Firecrawl's own defaults, by API version. */
const usualTimeoutMs = { 1: 30_000, 2: 60_000 } as const
const usualMaxAgeMs = { 1: 0, 2: 172_800_000 } as const

export function scrapeOptionsOf(options: TheirOptions): ScrapeOptions {
  const { version, given } = options
  const formats = options.version === 1 ? formatsV1(options.given) : formatsV2(options.given)
  const warnings = [...formats.warnings, ...warningsOf(given), ...versionWarnings(options)]
  const part = {
    onlyMainContent: given.onlyMainContent ?? true,
    includeTags: given.includeTags ?? [],
    excludeTags: given.excludeTags ?? [],
  }
  checkPagePart(part)
  for (const { selector } of formats.attributes ?? []) checkSelector(selector, 'formats.attributes')
  const steps = given.actions ?? []
  return {
    ...formats,
    ...{ part, steps, warnings },
    keepsInlineImages: given.removeBase64Images === false,
    actions: steps.map(({ type }) => type),
    hasScreenshot: formats.screenshot !== null,
    headers: given.headers ?? {},
    languages: given.location?.languages ?? [],
    waitForMs: Math.round(given.waitFor ?? 0),
    timeoutMs: given.timeout ?? usualTimeoutMs[version],
    isMobile: given.mobile ?? false,
    blocksAds: given.blockAds ?? true,
    isStealth: given.proxy === 'stealth' || given.proxy === 'enhanced',
    triesAgain: given.proxy === 'auto',
    country: given.location?.country ?? null,
    proxy: {},
    maxAgeMs: given.storeInCache === false ? null : (given.maxAge ?? usualMaxAgeMs[version]),
    session: profileOf(options),
    masksPersonalData: 'redactPII' in given && given.redactPII !== undefined && given.redactPII !== false,
  }
}

const profileOf = (options: TheirOptions): string | null =>
  options.version === 2 ? (options.given.profile?.name ?? null) : null

type Formats = Pick<
  ScrapeOptions,
  'formats' | 'json' | 'jsonPrompt' | 'attributes' | 'changes' | 'screenshot' | 'warnings'
>

const unmade = (name: string): string =>
  `formats: "${name}" is not supported; use json with a schema for fields, or markdown for the text`
const withoutFields = 'formats: json has neither a schema nor a prompt; name the fields in a JSON Schema'

function formatsV2({ formats = ['markdown'] }: OptionsV2): Formats {
  const made: Formats = { formats: [], screenshot: null, warnings: [] }
  for (const one of formats) {
    const format = typeof one === 'string' ? { type: one } : one
    addFormat(made, format as { type: string } & Record<string, unknown>)
  }
  return checkedTogether(made)
}

function formatsV1(given: OptionsV1): Formats {
  const { formats = ['markdown'], extract, jsonOptions, changeTrackingOptions = {} } = given
  const made: Formats = { formats: [], screenshot: null, warnings: [] }
  for (const name of formats)
    if (name === 'screenshot@fullPage') addFormat(made, { type: 'screenshot', fullPage: true })
    else if (name === 'extract') addFormat(made, { type: 'json', ...extract })
    else if (name === 'json') addFormat(made, { type: 'json', ...(jsonOptions ?? extract) })
    else if (name === 'changeTracking') addFormat(made, { type: 'changeTracking', ...changeTrackingOptions })
    else addFormat(made, { type: name })
  return checkedTogether(made)
}

function addFormat(made: Formats, format: { type: string } & Record<string, unknown>): void {
  const { type, ...options } = format
  switch (type) {
    case 'markdown':
    case 'html':
    case 'rawHtml':
    case 'links':
    case 'images':
    case 'summary':
    case 'branding':
      made.formats.push(type)
      break
    case 'screenshot':
      if (made.screenshot) made.warnings.push('formats: only the last screenshot is made')
      made.screenshot = options
      break
    case 'json':
      if (options.schema) made.json = { schema: options.schema as JsonSchema, ...promptOf(options) }
      else if (promptOf(options).prompt) made.jsonPrompt = promptOf(options).prompt
      else made.warnings.push(withoutFields)
      break
    case 'attributes':
      made.attributes = options.selectors as ScrapeOptions['attributes']
      break
    case 'changeTracking':
      made.changes = changesOf(options)
      if (options.prompt)
        made.warnings.push('formats.changeTracking.prompt: ignored; texts are compared without a model')
      break
    default:
      made.warnings.push(unmade(type))
  }
}

function promptOf({ systemPrompt, prompt }: Record<string, unknown>): { prompt?: string } {
  const texts = [systemPrompt, prompt].filter(text => typeof text === 'string' && text.trim() !== '')
  return texts.length === 0 ? {} : { prompt: texts.join('\n') }
}

const changesOf = ({ modes, tag, schema }: Record<string, unknown>): ChangeTracking => ({
  modes: (modes as ChangeTracking['modes'] | undefined) ?? [],
  tag: (tag as string | null | undefined) ?? null,
  ...(schema !== undefined && { schema: schema as JsonSchema }),
})

/** changeTracking compares the text of the page, so markdown is always made. */
function checkedTogether(made: Formats): Formats {
  if (made.changes && !made.formats.includes('markdown')) {
    made.formats.push('markdown')
    made.warnings.push('formats: changeTracking needs markdown, which was added')
  }
  return { ...made, formats: [...new Set(made.formats)] }
}

type Warned = OptionsV1 | OptionsV2

function warningsOf(given: Warned): string[] {
  const { skipTlsVerification, storeInCache, maxAge, zeroDataRetention } = given
  const unused = [
    'minAge',
    'fastMode',
    'lockdown',
    'useMock',
    'domainTools',
    'threatProtection',
    'auditMetadata',
  ] as const
  return [
    ...(skipTlsVerification === true
      ? ['skipTlsVerification: ignored; certificates are always checked']
      : []),
    ...(storeInCache === false && maxAge
      ? ['maxAge: with storeInCache false the cache is neither read nor written']
      : []),
    ...(zeroDataRetention === true
      ? [
          'zeroDataRetention: ignored; pages are stored for the retention time of this service; DELETE /jobs/{id} deletes them',
        ]
      : []),
    ...unused.filter(name => given[name] !== undefined).map(name => `${name}: not supported and ignored`),
  ]
}

function versionWarnings(options: TheirOptions): string[] {
  if (options.version === 1) {
    const { parsePDF, agent } = options.given
    return [
      ...(parsePDF === false ? ['parsePDF: the text of a PDF is always extracted'] : []),
      ...(agent === undefined ? [] : ['agent: not supported and ignored']),
    ]
  }
  const { parsers, profile } = options.given
  const unknown = (parsers ?? [])
    .map(one => (typeof one === 'string' ? one : one.type))
    .filter(name => name !== 'pdf')
  return [
    ...(parsers && !JSON.stringify(parsers).includes('pdf')
      ? ['parsers: the text of a PDF is always extracted']
      : []),
    ...unknown.map(name => `parsers: "${name}" is unknown`),
    ...(profile?.saveChanges === false
      ? ['profile.saveChanges: ignored; changes of a session are always stored']
      : []),
  ]
}
