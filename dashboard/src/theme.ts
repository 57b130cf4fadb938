// Light or dark colours: those of the system, or those that the user chose.

const place = 'kscrape.theme'
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export const theme = (): Theme => themes.find(each => each === localStorage.getItem(place)) ?? 'system'

export function applyTheme(chosen: Theme = theme()): void {
  localStorage.setItem(place, chosen)
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
  dispatchEvent(new Event('themechange'))
}

/** Redraws canvases when the system's theme changes. */
export function followSystem(): void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', () => dispatchEvent(new Event('themechange')))
}

/** The current value of a colour in the style sheet, for canvases. */
export function colourOf(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
