// A selector for an element that a person would have written: by what it is called, and by its place only where it has no name.

/** Names that are made anew with each build or visit say nothing. */
const looksMade = (name: string): boolean =>
  /\d{3,}|[0-9a-f]{6,}|^(css|sc|jsx|svelte|ng)-|^_|__[A-Za-z0-9]{4,}$|:/i.test(name) || name.length > 40

const telling = ['itemprop', 'data-testid', 'data-test', 'data-qa', 'data-field', 'name', 'rel', 'property']

/** `own` are attributes that were put there by us. */
export function selectorFor(element: Element, own: readonly string[] = []): string {
  const steps: string[] = []
  for (let at: Element | null = element; at && at !== document.documentElement; at = at.parentElement) {
    const step = stepFor(at, own)
    const whole = [step, ...steps].join(' > ')
    const loose = shortened([step, ...steps])
    if (isOnly(loose, element)) return loose
    if (isOnly(whole, element)) return whole
    steps.unshift(step)
    if (at === document.body) break
  }
  return byPlace(element)
}

/** The first and the last step alone, where that finds the same. */
const shortened = (steps: readonly string[]): string =>
  steps.length > 2 ? `${steps[0]} ${steps.at(-1)}` : steps.join(' > ')

function stepFor(element: Element, own: readonly string[]): string {
  const { localName, id } = element
  if (id && !looksMade(id)) return `#${CSS.escape(id)}`
  for (const name of telling) {
    const value = element.getAttribute(name)
    if (value && value.length < 60 && !own.includes(name))
      return `${localName}[${name}="${CSS.escape(value)}"]`
  }
  const classes = [...element.classList].filter(name => !looksMade(name)).slice(0, 2)
  if (classes.length > 0) return `${localName}.${classes.map(name => CSS.escape(name)).join('.')}`
  return localName
}

function isOnly(css: string, element: Element): boolean {
  const [first, second] = document.querySelectorAll(css)
  return first === element && second === undefined
}

function byPlace(element: Element): string {
  const steps: string[] = []
  for (let at: Element | null = element; at?.parentElement && at !== document.body; at = at.parentElement) {
    const same = [...at.parentElement.children].filter(({ localName }) => localName === at!.localName)
    steps.unshift(same.length === 1 ? at.localName : `${at.localName}:nth-of-type(${same.indexOf(at) + 1})`)
    const css = steps.join(' > ')
    if (isOnly(css, element)) return css
  }
  return ['body', ...steps].join(' > ')
}
