// Holds content that may be wider or taller than its place.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface ScrollBoxProps {
  label: string
  /** Limits the height of the content too, so that it also scrolls vertically. */
  isTall?: boolean
  children: ComponentChildren
}

/** If the content does not fit, the box takes the focus, so that a keyboard can scroll it. */
export function ScrollBox({ label, isTall, children }: ScrollBoxProps) {
  const box = useRef<HTMLElement>(null)
  const [scrolls, setScrolls] = useState(false)
  useEffect(() => {
    const place = box.current!
    const resized = new ResizeObserver(() =>
      setScrolls(place.scrollWidth > place.clientWidth || place.scrollHeight > place.clientHeight),
    )
    for (const element of [place, ...place.children]) resized.observe(element)
    return () => resized.disconnect()
  }, [])
  return (
    <section
      class={isTall ? 'scroll-x tall' : 'scroll-x'}
      ref={box}
      aria-label={label}
      tabIndex={scrolls ? 0 : undefined}
    >
      {children}
    </section>
  )
}
