// Text into the reader's clipboard.

/** Browsers offer a clipboard only on secure or local connections. Elsewhere the old command is used. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'aside'
  const focused = document.activeElement
  // Beside the focused element: outside of an open dialog nothing can be selected.
  ;(focused?.parentElement ?? document.body).append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
}
