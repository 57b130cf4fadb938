// A recording of Chrome's DevTools Recorder in its export format (the UserFlow of @puppeteer/replay).
import * as z from 'zod'
import { maxActions } from './actions.ts'
import { selectorList } from './selector-text.ts'

const timeout = z.int().min(1).max(600_000).optional()

/** Fields of every step. Unknown fields are allowed, because new versions of the recorder add fields. */
const base = {
  timeout,
  assertedEvents: z
    .array(
      z.looseObject({
        type: z.literal('navigation'),
        url: z.string().optional(),
        title: z.string().optional(),
      }),
    )
    .max(20)
    .optional(),
  target: z.string().min(1).max(8_192).optional(),
  frame: z.array(z.int().min(0).max(1_000)).max(20).optional(),
}
const selectors = selectorList
const pointer = {
  ...base,
  selectors,
  offsetX: z.number(),
  offsetY: z.number(),
  deviceType: z.enum(['mouse', 'pen', 'touch']).optional(),
  button: z.enum(['primary', 'auxiliary', 'secondary', 'back', 'forward']).optional(),
  duration: z.number().min(0).max(600_000).optional(),
}

const recordedStep = z.discriminatedUnion(
  'type',
  [
    z.looseObject({
      type: z.literal('setViewport'),
      ...base,
      width: z.number().min(1),
      height: z.number().min(1),
      deviceScaleFactor: z.number().min(0),
      isMobile: z.boolean(),
      hasTouch: z.boolean(),
      isLandscape: z.boolean(),
    }),
    z.looseObject({ type: z.literal('navigate'), ...base, url: z.string().min(1).max(8_192) }),
    z.looseObject({ type: z.literal('click'), ...pointer }),
    z.looseObject({ type: z.literal('doubleClick'), ...pointer }),
    z.looseObject({ type: z.literal('hover'), ...base, selectors }),
    z.looseObject({ type: z.literal('change'), ...base, selectors, value: z.string().max(100_000) }),
    z.looseObject({ type: z.literal('keyDown'), ...base, key: z.string().min(1).max(50) }),
    z.looseObject({ type: z.literal('keyUp'), ...base, key: z.string().min(1).max(50) }),
    z.looseObject({
      type: z.literal('scroll'),
      ...base,
      x: z.number().optional(),
      y: z.number().optional(),
      selectors: selectors.optional(),
    }),
    z.looseObject({ type: z.literal('close'), ...base }),
    z.looseObject({
      type: z.literal('emulateNetworkConditions'),
      ...base,
      download: z.number().min(-1),
      upload: z.number().min(-1),
      latency: z.number().min(0).max(600_000),
    }),
    z.looseObject({
      type: z.literal('waitForElement'),
      ...base,
      selectors,
      operator: z.enum(['>=', '==', '<=']).optional(),
      count: z.int().min(0).optional(),
      visible: z.boolean().optional(),
      properties: z.record(z.string(), z.json()).optional(),
      attributes: z.record(z.string(), z.string()).optional(),
    }),
    z.looseObject({
      type: z.literal('waitForExpression'),
      ...base,
      expression: z.string().min(1).max(100_000),
    }),
    z.looseObject({
      type: z.literal('customStep'),
      ...base,
      name: z.string().min(1).max(100),
      parameters: z.unknown(),
    }),
  ],
  { error: issue => (issue.code === 'invalid_union' ? unknownStep(issue.input) : undefined) },
)

function unknownStep(given: unknown): string {
  const named = (given as { type?: unknown } | null)?.type
  const what = typeof named === 'string' ? `"${named.slice(0, 50)}" is not a step` : 'a step needs a type'
  return `${what} of a recording; use one of ${recordedStep.options.map(({ shape }) => shape.type.value).join(', ')}`
}

export const recording = z.looseObject({
  title: z.string().max(10_000),
  timeout,
  selectorAttribute: z.string().optional(),
  steps: z.array(recordedStep).min(1).max(maxActions),
})
export type Recording = z.output<typeof recording>
export type RecordedStep = Recording['steps'][number]
export type RecordedStepOf<Type extends RecordedStep['type']> = Extract<RecordedStep, { type: Type }>
