// Takes screenshots of a page for the live view and sends a person's input to the page, over any protocol session.
import type { SeatInput, SeatView } from '../../../model/seat.ts'

/** Sends a command of the DevTools protocol to the page. */
export type SendCommand = (method: string, params: object) => Promise<unknown>

type Look = Pick<SeatView, 'url' | 'title' | 'image' | 'width' | 'height'>

const aboutScript = `({ url: location.href, title: document.title, width: innerWidth, height: innerHeight })`

/** Takes a screenshot of the page. A `scale` of 1 gives an image as large as the window. */
export async function lookAt(send: SendCommand, scale: number): Promise<Look> {
  const params = { expression: aboutScript, returnByValue: true }
  const { result } = (await send('Runtime.evaluate', params)) as { result: { value: Omit<Look, 'image'> } }
  const { width, height } = result.value
  const clip = { x: 0, y: 0, width: width || 1, height: height || 1, scale }
  const shot = { format: 'jpeg', quality: 60, clip, captureBeyondViewport: false, optimizeForSpeed: true }
  const painted = (await send('Page.captureScreenshot', shot).catch(() => null)) as { data: string } | null
  return { ...result.value, image: painted?.data ?? null }
}

export async function act(send: SendCommand, input: SeatInput): Promise<void> {
  if (input.type === 'text') await send('Input.insertText', { text: input.text })
  else if (input.type === 'key') await press(send, input.key)
  else if (input.type === 'wheel')
    await send('Input.dispatchMouseEvent', { ...input, type: 'mouseWheel', button: 'none' })
  else await point(send, input)
}

type Pointing = Extract<SeatInput, { button: string }>

async function point(send: SendCommand, { type, x, y, button }: Pointing): Promise<void> {
  const at = { x, y }
  const mouse = (kind: string) =>
    send('Input.dispatchMouseEvent', {
      ...{ ...at, type: kind, button: kind === 'mouseMoved' ? 'none' : button, clickCount: 1 },
    })
  if (type === 'mouse_move' || type === 'click') await mouse('mouseMoved')
  if (type === 'mouse_down' || type === 'click') await mouse('mousePressed')
  if (type === 'mouse_up' || type === 'click') await mouse('mouseReleased')
}

/** Keys that pages handle by key code. `text` is the text that the key inserts. */
const keys: Record<string, { code: number; text?: string }> = {
  Enter: { code: 13, text: '\r' },
  Tab: { code: 9 },
  Backspace: { code: 8 },
  Delete: { code: 46 },
  Escape: { code: 27 },
  ArrowLeft: { code: 37 },
  ArrowUp: { code: 38 },
  ArrowRight: { code: 39 },
  ArrowDown: { code: 40 },
  Home: { code: 36 },
  End: { code: 35 },
  PageUp: { code: 33 },
  PageDown: { code: 34 },
}

async function press(send: SendCommand, key: string): Promise<void> {
  const { code, text } = keys[key] ?? { code: key.length === 1 ? key.toUpperCase().charCodeAt(0) : 0 }
  const written = text ?? (key.length === 1 ? key : undefined)
  const named = { key, code: key, windowsVirtualKeyCode: code }
  await send('Input.dispatchKeyEvent', {
    ...{ ...named, type: written === undefined ? 'rawKeyDown' : 'keyDown' },
    ...(written !== undefined && { text: written }),
  })
  await send('Input.dispatchKeyEvent', { ...named, type: 'keyUp' })
}
