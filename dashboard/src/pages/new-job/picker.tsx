// Shows the page in a sandboxed frame for clicking. The frame has no access to the dashboard, runs no script of the page, and
// sends no request.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { PreviewLook } from '../../api.ts'

export interface Marks {
  /** Numbers of the row elements. */
  rows: number[]
  /** Numbers of the field elements. */
  fields: number[]
}

interface PickerProps {
  look: PreviewLook
  marks: Marks
  onPick: (node: number) => void
}

export function Picker({ look, marks, onPick }: PickerProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const latest = useRef({ look, onPick, marks })
  latest.current = { look, onPick, marks }
  const tell = (message: object) =>
    // The frame has an opaque origin, so `*` is the only possible target. Messages contain nothing but the page that the frame shows.
    frame.current?.contentWindow?.postMessage(message, '*')
  const show = () => {
    tell({ say: 'show', look: latest.current.look })
    tell({ say: 'mark', ...latest.current.marks })
  }
  const ready = useRef(false)
  // A layout effect adds the listener before the frame can load. So the page is shown once, and never replaced while the user
  // clicks.
  useLayoutEffect(() => {
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow) return
      if (data?.say === 'ready') {
        ready.current = true
        show()
      }
      // Messages from the frame are as untrusted as the page in it, so they are validated.
      if (data?.say === 'picked' && Number.isSafeInteger(data.node)) latest.current.onPick(data.node)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [])
  useEffect(() => {
    if (ready.current) show()
  }, [look])
  useEffect(() => {
    if (ready.current) tell({ say: 'mark', ...marks })
  }, [marks])
  return (
    <iframe ref={frame} class="frame" title="The page, to click in" src="/picker" sandbox="allow-scripts" />
  )
}
