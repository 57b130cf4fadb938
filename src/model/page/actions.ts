// Actions: steps in a page, and steps that control other steps (loops, conditions). They are data, and are validated before the run.
import * as z from 'zod'
import { condition, maxRounds, oneCondition, oneSelector, place, step, text } from './action-fields.ts'
import { type PageAction, pageActions } from './page-actions.ts'
import { readTemplate } from './templates.ts'

/** Limit of steps in one list, including nested steps. */
export const maxActions = 1_000
const maxNesting = 10

const whenHead = z.strictObject({ type: z.literal('when'), ...condition })
const repeatHead = z.strictObject({
  type: z.literal('repeat'),
  ...step,
  times: z.int().min(0).max(maxRounds),
})
const untilHead = z.strictObject({
  type: z.literal('repeat-until'),
  ...condition,
  maxTimes: z.int().min(1).max(maxRounds).default(100),
})
const eachHead = z.strictObject({
  type: z.literal('for-each'),
  ...place,
  /** Loops over these values instead of elements. `{{item}}` is the current value. */
  values: z.array(text).min(1).max(maxRounds).optional(),
  max: z.int().min(1).max(maxRounds).default(100),
})
const tryHead = z.strictObject({ type: z.literal('try'), ...step })
const paginateHead = z.strictObject({
  type: z.literal('paginate'),
  ...place,
  /** Limit of pages, including the first one. */
  maxPages: z.int().min(1).max(maxRounds).default(10),
})

type Holding<Head extends z.ZodType> = z.output<Head> & { steps: Action[] }
type Choosing<Head extends z.ZodType> = Holding<Head> & { else?: Action[] | undefined }

export type Action =
  | PageAction
  | Choosing<typeof whenHead>
  | Holding<typeof repeatHead>
  | Holding<typeof untilHead>
  | Holding<typeof eachHead>
  | Choosing<typeof tryHead>
  | Holding<typeof paginateHead>
export type ActionType = Action['type']
export type ActionOf<Type extends ActionType> = Extract<Action, { type: Type }>

/** Typed by hand, because a recursive schema cannot be inferred. */
const steps: z.ZodType<Action[], ActionInput[]> = z.lazy(() => actionList)

const action = z.discriminatedUnion(
  'type',
  [
    ...pageActions,
    oneCondition(whenHead.extend({ steps, else: steps.optional() })),
    repeatHead.extend({ steps }),
    oneCondition(untilHead.extend({ steps })),
    eachHead
      .extend({ steps })
      .refine(
        ({ selector, selectors, values }) =>
          [selector, selectors, values].filter(given => given !== undefined).length === 1,
        'needs exactly one of selector, selectors and values',
      ),
    tryHead.extend({ steps, else: steps.optional() }),
    oneSelector(paginateHead.extend({ steps })),
  ],
  { error: issue => (issue.code === 'invalid_union' ? unknownAction(issue.input) : undefined) },
)

function unknownAction(given: unknown): string {
  const named = (given as { type?: unknown } | null)?.type
  const what =
    typeof named === 'string' ? `"${named.slice(0, 50)}" is not an action` : 'an action needs a type'
  return `${what}; use one of ${actionTypes.join(', ')}`
}

export const actionTypes: readonly ActionType[] = action.options.map(({ shape }) => shape.type.value)

/** The field names of all actions, for the suggestions in error messages ("did you mean"). */
export const actionFields: readonly string[] = [
  ...new Set(action.options.flatMap(({ shape }) => Object.keys(shape))),
]

/** An action as given, before the schema has checked the fields of its type. */
export interface ActionInput {
  type: ActionType
  [field: string]: unknown
}

const actionList = z.array(action) as unknown as z.ZodType<Action[], ActionInput[]>

/** A list of actions. Size and nesting are checked before the schema, because deep nesting would overflow its stack. */
export const actions: z.ZodType<Action[], ActionInput[]> = z
  .custom<ActionInput[]>()
  .superRefine((value, context) => {
    const problem =
      Array.isArray(value) && value.length > 0 ? sizeProblem(value) : 'a list of at least one action'
    if (problem) context.addIssue({ code: 'custom', message: problem, continue: false })
  })
  .pipe(actionList)

function sizeProblem(list: unknown[]): string | null {
  let count = 0
  const deep = (steps: unknown[], nesting: number): boolean => {
    count += steps.length
    if (nesting > maxNesting || count > maxActions) return true
    return steps.some(each => innerLists(each).some(inside => deep(inside, nesting + 1)))
  }
  if (!deep(list, 1)) return null
  return count > maxActions
    ? `more than ${maxActions} steps, including nested steps`
    : `steps are nested more than ${maxNesting} levels deep`
}

/** The nested lists of a step. */
const innerLists = (given: unknown): unknown[][] =>
  typeof given === 'object' && given !== null
    ? ['steps', 'else'].map(name => (given as Record<string, unknown>)[name]).filter(Array.isArray)
    : []

/** The URL of the first action if that is a `goto`. Null if it is another action, or if the URL contains a secret. */
export function startUrlOf(actions: readonly Action[], row: Record<string, unknown> = {}): string | null {
  const first = actions.find(({ type }) => type !== 'set-viewport' && type !== 'emulate-network')
  if (first?.type !== 'goto' || first.target !== undefined) return null
  const parts = readTemplate(first.url)
  if (typeof parts === 'string') return null
  const texts = parts.map(part =>
    part.is === 'text' ? part.text : part.is === 'row' ? row[part.name] : undefined,
  )
  if (texts.some(text => text === undefined || text === null)) return null
  const url = URL.parse(texts.join(''))
  return url && /^https?:$/.test(url.protocol) ? url.href : null
}
