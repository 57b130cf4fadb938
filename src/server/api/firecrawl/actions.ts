// Translates Firecrawl's nine actions to actions of this service, and translates the results back.
import type { ActionInput } from '../../../model/page/actions.ts'
import type { TheirAction } from './schemas.ts'

/** Names of the record fields that hold the results of steps. */
const scrapeName = (index: number): string => `firecrawl_scrape_${index}`
const scriptName = (index: number): string => `firecrawl_script_${index}`

const snapshot = '({ url: location.href, html: document.documentElement.outerHTML })'

export const ourActions = (given: readonly TheirAction[]): ActionInput[] =>
  given.flatMap((one, index) => stepsOf(one, index))

function stepsOf(one: TheirAction, index: number): ActionInput[] {
  switch (one.type) {
    case 'wait':
      return [
        one.selector === undefined
          ? { type: 'wait', ms: Math.round(one.milliseconds ?? 0) }
          : { type: 'wait', selector: one.selector },
      ]
    case 'click':
      return one.all
        ? [{ type: 'for-each', selector: one.selector, steps: [{ type: 'click', within: 'item' }] }]
        : [{ type: 'click', selector: one.selector }]
    case 'write':
      return literal(one.text).map(text => ({ type: 'type', selector: ':focus', text, append: true }))
    case 'press':
      return [{ type: 'press', key: one.key }]
    case 'scroll':
      return [{ type: 'evaluate', script: scrolling(one.direction, one.selector) }]
    case 'screenshot':
      return pictureSteps(one)
    case 'scrape':
      return [{ type: 'evaluate', script: snapshot, as: scrapeName(index) }]
    case 'executeJavascript':
      return [{ type: 'evaluate', script: one.script, as: scriptName(index) }]
    case 'pdf':
      return [{ type: 'pdf', format: one.format, landscape: one.landscape, scale: one.scale }]
  }
}

export function pictureSteps({
  fullPage = false,
  quality,
  viewport,
}: {
  fullPage?: boolean | undefined
  quality?: number | undefined
  viewport?: { width: number; height: number } | undefined
}): ActionInput[] {
  return [
    ...(viewport ? [{ type: 'set-viewport' as const, ...viewport }] : []),
    { type: 'screenshot', fullPage, ...(quality !== undefined && { quality }) },
  ]
}

/** Splits text between two braces, because our actions treat `{{…}}` as a placeholder. Each part is typed by its own step. */
const literal = (text: string): string[] => text.split(/(?<=\{)(?=\{)/)

function scrolling(direction: 'up' | 'down', selector: string | undefined): string {
  const sign = direction === 'up' ? '-' : ''
  if (selector === undefined) return `window.scrollBy(0, ${sign}window.innerHeight)`
  const place = JSON.stringify(selector)
  return `(() => { const place = document.querySelector(${place}); if (!place) throw new Error(${place} + ' does not exist'); place.scrollBy(0, ${sign}place.clientHeight) })()`
}

/** Files of a task, in the order of the steps that made them. They are data URLs, which need no key. */
export interface MadeFiles {
  screenshots: string[]
  pdfs: string[]
}

export function actionResults(types: readonly string[], values: Record<string, unknown>, files: MadeFiles) {
  const scrapes = types.flatMap((type, index) => (type === 'scrape' ? [values[scrapeName(index)]] : []))
  const scripts = types.flatMap((type, index) =>
    type === 'executeJavascript' ? [values[scriptName(index)] ?? null] : [],
  )
  return {
    screenshots: files.screenshots,
    scrapes,
    javascriptReturns: scripts.map(value => ({ type: typeNameOf(value), value })),
    pdfs: files.pdfs,
  }
}

const typeNameOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
