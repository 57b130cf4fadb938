// Takes a small screenshot of the page after each step and stores those of the last steps.
import type { Page } from 'playwright-core'
import type { Artifact } from '../../model/policy/rendering.ts'
import { limitOf, raced } from '../browser/bounded.ts'

const mostFrames = 20
const pictureMs = 1_000

export class StepFrames {
  #frames: Array<{ number: number; type: string; bytes: Buffer }> = []
  #steps = 0

  /** Takes the screenshot of a step. Never rejects: if the screenshot fails, that step has none. */
  readonly take = async (page: Page, { type }: { type: string }): Promise<void> => {
    this.#steps += 1
    const number = this.#steps
    using limit = limitOf(pictureMs, new Error('too late'))
    const shot = page.screenshot({
      type: 'jpeg',
      quality: 40,
      scale: 'css',
      timeout: pictureMs,
      animations: 'allow',
    })
    const bytes = await raced(shot, limit.signal).catch(() => null)
    if (!bytes) return
    this.#frames.push({ number, type, bytes })
    if (this.#frames.length > mostFrames) this.#frames.shift()
  }

  /** The screenshots. Their names are like `step-3`, and their files like `step-03-click.jpg`. */
  get artifacts(): Artifact[] {
    return this.#frames.map(({ number, type, bytes }) => ({
      name: `step-${number}`,
      fileName: `step-${String(number).padStart(2, '0')}-${type}.jpg`,
      type: 'image/jpeg',
      bytes,
    }))
  }
}
