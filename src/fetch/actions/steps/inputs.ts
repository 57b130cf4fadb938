// Steps with mouse and keyboard: click, hover, scroll, press, type, select, upload.
import type { Locator, Page } from 'playwright-core'
import type { ActionOf } from '../../../model/page/actions.ts'
import { fillIn } from '../fill-in.ts'
import { withNavigation } from '../navigation.ts'
import type { ActionRun, Step } from '../run.ts'
import { elementOf, pageOf } from '../step-targets.ts'
import { scrollStep } from './scrolling.ts'
import type { StepTable } from './step-table.ts'

/** Texts up to this many characters are typed key by key. Longer texts are set at once, unless they are appended,
 *  because typing takes too long. */
const typedByKey = 200
/** Time for the page to react to a key. */
const afterKeyMs = 100

export const inputSteps: StepTable<
  'click' | 'hover' | 'scroll' | 'press' | 'key-down' | 'key-up' | 'type' | 'select' | 'upload'
> = {
  click: async (run, action, step) => {
    const element = await elementOf(run, step, action)
    await withNavigation(run, step, action, element.page(), () => click(run, action, element))
  },
  hover: async (run, action, step) => {
    const element = await elementOf(run, step, action)
    await withNavigation(run, step, action, element.page(), () =>
      element.hover({ timeout: run.timeoutOf(action) }),
    )
  },
  scroll: scrollStep,
  press: async (run, action, step) => {
    const { selector, selectors, within, key } = action
    const hasPlace = selector !== undefined || selectors !== undefined || within !== undefined
    const element = hasPlace ? await elementOf(run, step, action) : null
    const page = element?.page() ?? (await pageOf(run, action))
    await withNavigation(run, step, action, page, async () => {
      await element?.focus()
      await page.keyboard.press(key)
    })
  },
  'key-down': (run, action, step) => withKey(run, action, step, page => page.keyboard.down(action.key)),
  'key-up': (run, action, step) => withKey(run, action, step, page => page.keyboard.up(action.key)),
  type: async (run, action, step) => {
    const text = await textFor(run, action, step)
    const element = await elementOf(run, step, action)
    const isSet = () => setValue(run, element, text, action)
    await withNavigation(run, step, action, element.page(), isSet)
  },
  select: async (run, action, step) => {
    const values = await Promise.all([action.value].flat().map(value => fillIn(run, step, value)))
    const element = await elementOf(run, step, action)
    const choose = () => element.selectOption(values, { timeout: run.timeoutOf(action) })
    await withNavigation(run, step, action, element.page(), async () => void (await choose()))
  },
  upload: async (run, action, step) => {
    const files = await Promise.all(
      action.files.map(async ({ name, type, text, base64 }) => ({
        name,
        mimeType: type,
        buffer:
          base64 === undefined
            ? Buffer.from(await fillIn(run, step, text ?? ''))
            : Buffer.from(base64, 'base64'),
      })),
    )
    // A file input need not be visible: it is often hidden behind a styled button.
    const element = await elementOf(run, step, action, 'attached')
    const give = () => element.setInputFiles(files, { timeout: run.timeoutOf(action) })
    await withNavigation(run, step, action, element.page(), give)
  },
}

/** Presses or releases a key in the page, independent of the focused element. */
async function withKey(
  run: ActionRun,
  action: ActionOf<'key-down' | 'key-up'>,
  step: Step,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const page = await pageOf(run, action)
  await withNavigation(run, step, action, page, () => work(page))
  await run.pause(afterKeyMs)
}

async function click(run: ActionRun, action: ActionOf<'click'>, element: Locator): Promise<void> {
  const { count, button, device, offset, holdMs } = action
  const timeout = run.timeoutOf(action)
  if (device === 'touch') return tap(run, element, offset)
  if (button === 'back') return void (await element.page().goBack({ timeout }))
  if (button === 'forward') return void (await element.page().goForward({ timeout }))
  const position = offset && (await inside(element, offset))
  const options = { ...(position && { position }), ...(holdMs !== undefined && { delay: holdMs }) }
  return element.click({ ...options, timeout, clickCount: count, button })
}

interface Point {
  x: number
  y: number
}

/** The point inside the element, or undefined for its centre. The window size may differ from the recording, so the
 *  recorded point may be outside. */
async function inside(element: Locator, { x, y }: Point): Promise<Point | undefined> {
  const box = await element.boundingBox()
  return box && x >= 0 && y >= 0 && x < box.width && y < box.height ? { x, y } : undefined
}

/** Sends touch events directly, because Playwright taps only in contexts opened as a phone. */
async function tap(run: ActionRun, element: Locator, offset: Point | undefined): Promise<void> {
  await element.scrollIntoViewIfNeeded()
  const box = await element.boundingBox()
  if (!box) throw new Error('the element is not visible, so it cannot be tapped')
  const at = (offset && (await inside(element, offset))) ?? { x: box.width / 2, y: box.height / 2 }
  const session = await run.session(element.page())
  const touchPoints = [{ x: box.x + at.x, y: box.y + at.y }]
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

/** The text to type. A value of the input row replaces the recorded text. */
async function textFor(run: ActionRun, { parameter, text }: ActionOf<'type'>, step: Step): Promise<string> {
  const own = parameter === undefined ? undefined : run.plan.row[parameter]
  if (own === undefined || own === null) return fillIn(run, step, text)
  run.hasReplaced = true
  return String(own)
}

/** Sets the value by the kind of the element: types into inputs, chooses in selects, moves sliders. */
async function setValue(
  run: ActionRun,
  element: Locator,
  text: string,
  action: ActionOf<'type'>,
): Promise<void> {
  const timeout = run.timeoutOf(action)
  const kind = await element.evaluate(kindOf)
  if (kind === 'password') run.parts.redactor.add(text)
  if (kind === 'select') return void (await element.selectOption(text, { timeout }))
  if (kind === 'checkbox' || kind === 'radio')
    return element.setChecked(/^(true|on|yes|1)$/i.test(text), { timeout })
  if (!typed.has(kind) || (text.length > typedByKey && !action.append)) return element.fill(text, { timeout })
  if (!action.append) await element.fill('', { timeout })
  else await element.press('End', { timeout })
  await element.pressSequentially(text, { timeout })
}

const typed = new Set(['text', 'password', 'search', 'email', 'tel', 'url', 'number', 'textarea', 'editable'])

/** Runs inside the page. */
function kindOf(element: Element): string {
  if (element instanceof HTMLSelectElement) return 'select'
  if (element instanceof HTMLInputElement) return element.type
  return element instanceof HTMLTextAreaElement ? 'textarea' : 'editable'
}
