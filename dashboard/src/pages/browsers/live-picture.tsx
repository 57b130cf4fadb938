// A live image of a running page. With `onInput`, mouse and keyboard events are sent to that page.
import { useEffect, useState } from 'preact/hooks'
import type { BrowserView, SeatInput } from '../../api.ts'

interface LivePictureProps {
  view: BrowserView | null
  alt: string
  onInput?: ((input: SeatInput) => unknown) | undefined
}

export function LivePicture({ view, alt, onInput }: LivePictureProps) {
  const url = usePicture(view?.image ?? null)
  if (!url || !view) return <div class="live-empty">{view ? 'This page shows nothing yet.' : ''}</div>
  if (!onInput) return <img class="live" src={url} alt={alt} />
  return (
    <div class="live-box">
      <img
        class="live driven"
        src={url}
        alt={alt}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys go to the page in the picture
        tabIndex={0}
        draggable={false}
        onClick={event => onInput({ type: 'click', button: 'left', ...placeIn(view, event) })}
        onWheel={event => {
          event.preventDefault()
          onInput({ type: 'wheel', ...placeIn(view, event), deltaX: event.deltaX, deltaY: event.deltaY })
        }}
        onKeyDown={event => {
          const input = keyOf(event)
          if (!input) return
          event.preventDefault()
          onInput(input)
        }}
        onPaste={event => {
          const text = event.clipboardData?.getData('text')
          if (text) onInput({ type: 'text', text })
        }}
      />
    </div>
  )
}

/** Converts a position in the image, which may be scaled, to pixels of the page. */
function placeIn({ width, height }: BrowserView, event: MouseEvent): { x: number; y: number } {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
  return {
    x: Math.max(0, ((event.clientX - box.left) / box.width) * width),
    y: Math.max(0, ((event.clientY - box.top) / box.height) * height),
  }
}

/** Characters are typed, other keys are pressed. Shortcuts are not sent, because they belong to the dashboard. */
function keyOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): SeatInput | null {
  if (ctrlKey || metaKey || altKey || key === 'Shift' || key === 'Dead') return null
  return key.length === 1 ? { type: 'text', text: key } : { type: 'key', key }
}

/** An object URL for the image, because the dashboard's Content-Security-Policy allows no other images. */
function usePicture(base64: string | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (base64 === null) return setUrl(null)
    const bytes = Uint8Array.from(atob(base64), char => char.charCodeAt(0))
    const made = URL.createObjectURL(new Blob([bytes], { type: 'image/jpeg' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [base64])
  return url
}
