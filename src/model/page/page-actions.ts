// Single-step actions in a page: navigate, click, type, wait, read.
import * as z from 'zod'
import { extractionRules } from '../extraction-rules.ts'
import {
  address,
  columnName,
  key,
  maxScriptLength,
  milliseconds,
  notBoth,
  oneSelector,
  place,
  step,
  template,
  text,
  valueName,
} from './action-fields.ts'

const maxUploadLength = 10_000_000

const goto = z.strictObject({ type: z.literal('goto'), ...step, url: address })
const back = z.strictObject({ type: z.literal('back'), ...step })
const forward = z.strictObject({ type: z.literal('forward'), ...step })
const reload = z.strictObject({ type: z.literal('reload'), ...step })
const click = oneSelector(
  z.strictObject({
    type: z.literal('click'),
    ...place,
    /** 2 for a double click. */
    count: z.int().min(1).max(3).default(1),
    button: z.enum(['left', 'middle', 'right', 'back', 'forward']).default('left'),
    device: z.enum(['mouse', 'pen', 'touch']).default('mouse'),
    /** Where to click, in pixels from the upper left corner of the element. Default: its centre. */
    offset: z.strictObject({ x: z.number(), y: z.number() }).optional(),
    holdMs: milliseconds.optional(),
  }),
)
const type = oneSelector(
  z.strictObject({
    type: z.literal('type'),
    ...place,
    text,
    /** A column of the input row. If the row has a value in it, the value is typed instead of `text`. */
    parameter: columnName.optional(),
    /** Adds the text to the current value of the field instead of replacing it. */
    append: z.boolean().default(false),
  }),
)
const press = notBoth(z.strictObject({ type: z.literal('press'), ...place, key }))
const keyDown = z.strictObject({ type: z.literal('key-down'), ...step, key })
const keyUp = z.strictObject({ type: z.literal('key-up'), ...step, key })
const select = oneSelector(
  z.strictObject({
    type: z.literal('select'),
    ...place,
    /** The options to select, by value or by label. */
    value: z.union([text, z.array(text).min(1).max(1_000)]),
  }),
)
const file = z
  .strictObject({
    name: z.string().regex(/^[^/\\\0]{1,200}$/, 'a file name without a folder'),
    type: z.string().min(1).max(200).default('application/octet-stream'),
    text: template(maxUploadLength).optional(),
    base64: z.base64().max(maxUploadLength).optional(),
  })
  .refine(given => (given.text === undefined) !== (given.base64 === undefined), {
    message:
      'needs exactly one of text and base64: the job contains the file, because files on a disk are not read',
  })
const upload = oneSelector(
  z.strictObject({ type: z.literal('upload'), ...place, files: z.array(file).min(1).max(20) }),
)
const hover = oneSelector(z.strictObject({ type: z.literal('hover'), ...place }))
const scroll = notBoth(
  z.strictObject({
    type: z.literal('scroll'),
    ...place,
    /** Scroll position of the page, or of the element with a selector. Default: one screen down. */
    x: z.number().optional(),
    y: z.number().optional(),
    to: z.enum(['end', 'start']).optional(),
    /** With `to: end`: scroll up to this many times, as long as content is added. */
    times: z.int().min(1).max(1_000).default(1),
  }),
)
const wait = z
  .strictObject({
    type: z.literal('wait'),
    ...place,
    ms: milliseconds.optional(),
    networkIdle: z.literal(true).optional(),
    expression: z.string().min(1).max(maxScriptLength).optional(),
    operator: z.enum(['>=', '==', '<=']).optional(),
    count: z.int().min(0).max(100_000).optional(),
    visible: z.boolean().optional(),
    /** Properties of the DOM element: `{ "disabled": false }`. */
    properties: z.record(z.string().max(200), z.json()).optional(),
    attributes: z.record(z.string().max(200), z.string().max(10_000)).optional(),
  })
  .refine(
    ({ ms, networkIdle, expression, selector, selectors }) =>
      [ms, networkIdle, expression, selector, selectors].filter(given => given !== undefined).length === 1,
    'needs exactly one of ms, selector, selectors, network_idle and expression',
  )
  .refine(
    ({ selector, selectors, operator, count, visible, properties, attributes }) =>
      selector !== undefined ||
      selectors !== undefined ||
      [operator, count, visible, properties, attributes].every(given => given === undefined),
    'operator, count, visible, properties and attributes go with a selector',
  )
const extract = z.strictObject({
  type: z.literal('extract'),
  ...step,
  each: extractionRules.shape.each,
  /** The rules of this step. Default: the job's rules. */
  fields: extractionRules.shape.fields.optional(),
})
const evaluate = z.strictObject({
  type: z.literal('evaluate'),
  ...step,
  script: z.string().min(1).max(maxScriptLength),
  /** The value is stored under this name: in the record, and as `{{value.NAME}}`. */
  as: valueName.optional(),
})
const screenshot = notBoth(
  z.strictObject({
    type: z.literal('screenshot'),
    ...place,
    fullPage: z.boolean().default(false),
    /** The quality of a JPEG. Without it, the screenshot is a PNG. */
    quality: z.int().min(1).max(100).optional(),
  }),
)
export const paperFormats = [
  ...['Letter', 'Legal', 'Tabloid', 'Ledger'],
  ...['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6'],
] as const
const pdf = z.strictObject({
  type: z.literal('pdf'),
  ...step,
  format: z.enum(paperFormats).optional(),
  landscape: z.boolean().optional(),
  scale: z.number().min(0.1).max(2).optional(),
})
const download = notBoth(
  z.strictObject({ type: z.literal('download'), ...place, url: address.optional() }),
).refine(
  ({ url, selector, selectors, within }) =>
    (url !== undefined) !== (selector !== undefined || selectors !== undefined || within !== undefined),
  'needs exactly one of selector, selectors and url, to start the download',
)
const setViewport = z.strictObject({
  type: z.literal('set-viewport'),
  ...step,
  width: z.int().min(1).max(10_000),
  height: z.int().min(1).max(10_000),
  deviceScaleFactor: z.number().min(0).max(10).default(1),
  isMobile: z.boolean().default(false),
  hasTouch: z.boolean().default(false),
  isLandscape: z.boolean().default(false),
})
const emulateNetwork = z.strictObject({
  type: z.literal('emulate-network'),
  ...step,
  /** `download` and `upload` in bytes per second. -1 means no limit; 0 for both means offline. */
  download: z.number().min(-1),
  upload: z.number().min(-1),
  latencyMs: z.number().min(0).max(600_000),
})
const close = z.strictObject({ type: z.literal('close'), ...step })

export const pageActions = [
  ...[goto, back, forward, reload, click, type, press, keyDown, keyUp, select, upload, hover, scroll, wait],
  ...[extract, evaluate, screenshot, pdf, download, setViewport, emulateNetwork, close],
] as const
export type PageAction = z.output<(typeof pageActions)[number]>
