// Copies text to the user's clipboard.

/** Browsers offer the clipboard API only on secure or local connections. Elsewhere the old `copy` command is used. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'aside'
  const focused = document.activeElement
  // Insert the text beside the focused element, because text outside an open dialog cannot be selected.
  ;(focused?.parentElement ?? document.body).append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
}
