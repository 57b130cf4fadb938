// Text into the reader's clipboard.

/** Browsers have a clipboard only where the connection is secure, or local; elsewhere the old way is taken. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'aside'
  const focused = document.activeElement
  // Beside what has the focus: outside of an open dialog nothing can be selected.
  ;(focused?.parentElement ?? document.body).append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
}
