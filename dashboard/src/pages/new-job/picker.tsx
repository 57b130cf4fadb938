// The page in its own frame, to click in. The frame has no origin of ours, runs no script of the page, and sends no request.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { PreviewLook } from '../../api.ts'

export interface Marks {
  /** Elements of the rows. */
  rows: number[]
  /** Elements of the fields. */
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
    // The frame has an opaque origin, so none can be named. It gets only messages about the page that it shows.
    frame.current?.contentWindow?.postMessage(message, '*')
  const show = () => {
    tell({ say: 'show', look: latest.current.look })
    tell({ say: 'mark', ...latest.current.marks })
  }
  const ready = useRef(false)
  // A layout effect listens before the frame can load. So a page is shown once, and never replaced while the user clicks.
  useLayoutEffect(() => {
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow) return
      if (data?.say === 'ready') {
        ready.current = true
        show()
      }
      // Messages from the frame are as untrusted as the page in it.
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
