// Converts a recording to actions: every step becomes an action with all recorded details.

import { defined } from '../lib/defined.ts'
import { problemsOf } from '../lib/text/problems.ts'
import { suggest } from '../lib/text/suggest.ts'
import { Failure } from '../model/failures.ts'
import { isObject } from '../model/json.ts'
import { camel, mapKeys } from '../model/letter-case.ts'
import {
  type Action,
  type ActionInput,
  actions as actionsSchema,
  actionTypes,
} from '../model/page/actions.ts'
import { type RecordedStep, type RecordedStepOf, type Recording, recording } from '../model/page/recording.ts'
import { type Parameter, ParameterNames } from './parameters.ts'

export interface ReadRecording {
  title: string
  actions: Action[]
  parameters: Parameter[]
  /** One line of text for each skipped step. Steps of other tools are skipped. */
  skipped: string[]
}

/** Converts a recording. Throws one error with all problems and their paths, like `steps[4].selectors`. */
export function readRecording(value: unknown, name: string): ReadRecording {
  const parsed = recording.safeParse(value)
  if (!parsed.success) throw invalid(name, problemsOf(parsed.error))
  const names = new ParameterNames()
  const given = parsed.data.steps.map((step, index) => actionOf(step, index, parsed.data, names))
  const steps = given.flatMap((action, index) => (action ? [{ action, index }] : []))
  const actions = actionsSchema.safeParse(steps.map(({ action }) => action))
  if (actions.success)
    return {
      title: parsed.data.title,
      actions: actions.data,
      parameters: names.parameters,
      skipped: parsed.data.steps.flatMap(foreignStep),
    }
  // Steps without an action are not in the list, so translate the paths back to steps of the recording.
  const own = problemsOf(actions.error).map(problem => ({
    ...problem,
    path: problem.path.replace(/^\[(\d+)\]/, (_, at: string) => `steps[${steps[Number(at)]?.index ?? at}]`),
  }))
  throw invalid(name, own)
}

function invalid(name: string, problems: Array<{ path: string; message: string }>): Failure {
  const lines = problems.map(({ path, message }) => `${path}: ${message}`)
  return new Failure('input.invalid', `${name} is not a valid recording: ${lines.join('; ')}`, {
    problems,
  })
}

function actionOf(
  step: RecordedStep,
  index: number,
  { timeout }: Recording,
  names: ParameterNames,
): ActionInput | null {
  const own = ownPart(step, index, names)
  return own && { ...commonPart(step, timeout), ...own }
}

function commonPart(
  { timeout, target, frame, assertedEvents }: RecordedStep,
  flowTimeout: number | undefined,
) {
  const timeoutMs = timeout ?? flowTimeout
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(target !== undefined && target !== 'main' && { target }),
    ...(frame !== undefined && frame.length > 0 && { frame }),
    ...(assertedEvents && assertedEvents.length > 0 && { expectNavigation: expected(assertedEvents) }),
  }
}

/** The navigation to expect after a step. Only the final URL counts. Its query is not compared, because it may be temporary. */
function expected(events: NonNullable<RecordedStep['assertedEvents']>): ActionInput['expectNavigation'] {
  const { url, title } = events.at(-1)!
  const address = url === undefined ? null : URL.parse(url)
  const isWeb = address !== null && /^https?:$/.test(address.protocol)
  if (!isWeb && !title) return true
  return {
    ...(isWeb && { url: `${address.origin}${address.pathname}` }),
    ...(title && { title }),
    recorded: true,
  }
}

function ownPart(step: RecordedStep, index: number, names: ParameterNames): ActionInput | null {
  switch (step.type) {
    case 'setViewport': {
      const { width, height, deviceScaleFactor, isMobile, hasTouch, isLandscape } = step
      const size = { width: Math.round(width), height: Math.round(height) }
      return { type: 'set-viewport', ...size, deviceScaleFactor, isMobile, hasTouch, isLandscape }
    }
    case 'navigate':
      // A recording may start with the browser's new tab page. It needs no action.
      return /^(chrome|about|edge|brave):/.test(step.url) ? null : { type: 'goto', url: step.url }
    case 'click':
      return clickOf(step, 1)
    case 'doubleClick':
      return clickOf(step, 2)
    case 'hover':
      return { type: 'hover', selectors: step.selectors }
    case 'change': {
      const parameter = names.nameOf(step, index + 1)
      return { type: 'type', selectors: step.selectors, text: step.value, ...(parameter && { parameter }) }
    }
    case 'keyDown':
      return { type: 'key-down', key: step.key }
    case 'keyUp':
      return { type: 'key-up', key: step.key }
    case 'scroll':
      return { type: 'scroll', ...defined({ x: step.x, y: step.y, selectors: step.selectors }) }
    case 'close':
      return { type: 'close' }
    case 'emulateNetworkConditions': {
      const { download, upload, latency } = step
      return { type: 'emulate-network', download, upload, latencyMs: latency }
    }
    case 'waitForElement':
      return waitOf(step)
    case 'waitForExpression':
      return { type: 'wait', expression: step.expression }
    case 'customStep':
      if (!isOwn(step.name)) return null
      return { ...asFields(step.parameters), type: step.name as ActionInput['type'] }
  }
}

const isOwn = (name: string): boolean => (actionTypes as readonly string[]).includes(name)

/** The message about a step of another tool, which only that tool can run. Empty for other steps. */
function foreignStep(step: RecordedStep, index: number): string[] {
  if (step.type !== 'customStep' || isOwn(step.name)) return []
  const meant = suggest(step.name, actionTypes)
  const hint = meant ? `; did you mean "${meant}"?` : ''
  return [`steps[${index}]: "${step.name}" is a step of another tool and is skipped${hint}`]
}

const buttons = {
  primary: 'left',
  auxiliary: 'middle',
  secondary: 'right',
  back: 'back',
  forward: 'forward',
} as const

function clickOf(step: RecordedStepOf<'click' | 'doubleClick'>, count: number): ActionInput {
  const { selectors, offsetX, offsetY, button = 'primary', deviceType = 'mouse', duration } = step
  return {
    type: 'click',
    selectors,
    count,
    button: buttons[button],
    device: deviceType,
    offset: { x: offsetX, y: offsetY },
    ...(duration !== undefined && { holdMs: Math.round(duration) }),
  }
}

function waitOf(step: RecordedStepOf<'waitForElement'>): ActionInput {
  const { selectors, operator = '==', count = 1, visible = true, properties, attributes } = step
  return { type: 'wait', selectors, operator, count, visible, ...defined({ properties, attributes }) }
}

/** The fields of one of our own actions in a recording. As in a job, they may be in snake_case or camelCase. */
const asFields = (parameters: unknown): Record<string, unknown> =>
  isObject(parameters) ? (mapKeys(parameters, camel) as Record<string, unknown>) : {}
