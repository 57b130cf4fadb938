// The page in a frame of its own, to click in: it has no origin of ours, runs nothing of the page's, and loads nothing.
import { useEffect, useRef } from 'preact/hooks'

export interface Picked {
  css: string
  tag: string
  text: string
  attributes: Record<string, string>
  /** How many elements the selector finds. */
  matches: number
}

/** Longer texts are cut: a frame has to say no more. */
const longest = 2_000

export function Picker({
  html,
  marked,
  onPick,
}: {
  html: string
  marked: string
  onPick: (picked: Picked) => void
}) {
  const frame = useRef<HTMLIFrameElement>(null)
  const latest = useRef(onPick)
  latest.current = onPick
  const tell = (message: object) =>
    // It has no origin that could be named; what it is told is the page that it shows.
    frame.current?.contentWindow?.postMessage(message, '*')
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow) return
      if (data?.say === 'ready') tell({ say: 'show', html })
      const picked = data?.say === 'picked' ? pickedIn(data) : null
      if (picked) latest.current(picked)
    }
    addEventListener('message', onMessage)
    tell({ say: 'show', html })
    return () => removeEventListener('message', onMessage)
  }, [html])
  useEffect(() => tell({ say: 'mark', css: marked }), [marked])
  return (
    <iframe ref={frame} class="frame" title="The page, to click in" src="/picker" sandbox="allow-scripts" />
  )
}

/** What comes from the frame is as hostile as the page in it: taken apart, never trusted. */
function pickedIn(data: Record<string, unknown>): Picked | null {
  const { css, tag, text, attributes, matches } = data
  if (typeof css !== 'string' || css === '' || css.length > longest) return null
  const given = typeof attributes === 'object' && attributes !== null ? Object.entries(attributes) : []
  return {
    css,
    tag: String(tag).slice(0, 40),
    text: String(text).slice(0, longest),
    attributes: Object.fromEntries(
      given.slice(0, 40).map(([name, value]) => [name, String(value).slice(0, longest)]),
    ),
    matches: Number(matches) || 0,
  }
}
