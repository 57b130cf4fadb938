// Small components that all pages use.
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { copyText } from '../copy.ts'
import { ago, momentInFull, urlParts, webAddress } from '../format.ts'
import type { StateWords, Tone } from '../state-words.ts'
import { Icon } from './icons.tsx'

type Children = { children?: ComponentChildren }

export const Badge = ({ state, tone, children }: { state?: StateWords; tone?: Tone } & Children) => (
  <span class={`badge ${state?.tone ?? tone ?? 'idle'}`} title={state?.why}>
    <span class={state?.isLive ? 'dot live' : 'dot'} />
    {state?.words ?? children}
  </span>
)

interface ButtonProps extends Children {
  onClick?: () => unknown
  kind?: 'plain' | 'primary' | 'danger' | 'ghost'
  icon?: string
  isSmall?: boolean
  disabled?: boolean
  type?: 'button' | 'submit'
  label?: string
  isPressed?: boolean
}

/** A button that is disabled while its action runs, so that it cannot be pressed twice. */
export function Button(props: ButtonProps) {
  const {
    onClick,
    kind = 'plain',
    icon,
    isSmall,
    disabled,
    type = 'button',
    label,
    isPressed,
    children,
  } = props
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    setBusy(true)
    try {
      await onClick?.()
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type={type}
      class={`button ${kind}${isSmall ? ' small' : ''}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
      aria-label={label}
      aria-pressed={isPressed}
      title={label}
      onClick={onClick && press}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export const LinkButton = ({
  href,
  kind = 'plain',
  icon,
  children,
}: { href: string; kind?: string; icon?: string } & Children) => (
  <a class={`button ${kind}`} href={href}>
    {icon && <Icon name={icon} />}
    {children}
  </a>
)

interface CardProps extends Children {
  title?: ComponentChildren
  hint?: ComponentChildren
  actions?: ComponentChildren
  isFlush?: boolean
}

export const Card = ({ title, hint, actions, isFlush, children }: CardProps) => (
  <section class="card">
    {title !== undefined && (
      <header class="card-head">
        <h2>{title}</h2>
        {hint && <span class="hint">{hint}</span>}
        {actions && <div class="card-actions">{actions}</div>}
      </header>
    )}
    <div class={isFlush ? 'card-flush' : 'card-body'}>{children}</div>
  </section>
)

/** A placeholder that says what is missing and what to do about it. */
export const Empty = ({ icon = 'search', title, children }: { icon?: string; title: string } & Children) => (
  <div class="empty">
    <span class="empty-icon">
      <Icon name={icon} size={22} />
    </span>
    <p class="empty-title">{title}</p>
    {children && <div class="empty-text">{children}</div>}
  </div>
)

export const Problem = ({ message, retry }: { message: string; retry?: () => void }) => (
  <div class="problem" role="alert">
    <span>{message}</span>
    {retry && (
      <Button isSmall onClick={retry} icon="again">
        Try again
      </Button>
    )}
  </div>
)

export const Loading = ({ rows = 4 }: { rows?: number }) => (
  <output class="loading" aria-label="Loading">
    {Array.from({ length: rows }, (_, index) => (
      <span key={index} class="bar" />
    ))}
  </output>
)

/** A time in the user's time zone, with the full time as a tooltip. The relative time updates itself. */
export function Time({ at, isFuture }: { at: string | null | undefined; isFuture?: boolean }) {
  const [, setTurn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTurn(turn => turn + 1), 10_000)
    return () => clearInterval(timer)
  }, [])
  if (!at) return <span class="muted">–</span>
  return (
    <time dateTime={at} title={momentInFull(at)} class={isFuture ? 'time future' : 'time'}>
      {ago(at)}
    </time>
  )
}

/** A link if the URL is http or https; otherwise plain text. */
export function WebLink({ url, children }: { url: string } & Children) {
  const href = webAddress(url)
  if (!href) return <span>{children ?? url}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer">
      {children ?? url}
    </a>
  )
}

/** A URL on one line. A narrow column cuts its middle. */
export function UrlText({ url }: { url: string }) {
  const [head, tail] = urlParts(url)
  return (
    <span class="url-text" title={url}>
      <span>{head}</span>
      <span>{tail}</span>
    </span>
  )
}

/** Formats text between backticks as code. */
export const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))

export interface Fact {
  name: string
  value: ComponentChildren
}

export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(({ name, value }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

export const Stat = ({
  name,
  value,
  note,
  tone,
}: {
  name: string
  value: ComponentChildren
  note?: ComponentChildren
  tone?: Tone
}) => (
  <div class={`stat ${tone ?? ''}`}>
    <span class="stat-name">{name}</span>
    <span class="stat-value">{value}</span>
    {note !== undefined && <span class="stat-note">{note}</span>}
  </div>
)

interface FieldProps extends Children {
  label: string
  hint?: ComponentChildren
  isInline?: boolean
}

/** A label above one form control. The control gets the id that connects both. */
function Field({
  label,
  hint,
  isInline,
  children,
}: Omit<FieldProps, 'children'> & { children: (id: string) => ComponentChildren }) {
  const id = useId()
  return (
    <div class={isInline ? 'field inline' : 'field'}>
      <label for={id}>{label}</label>
      {children(id)}
      {hint && <span class="field-hint">{hint}</span>}
    </div>
  )
}

interface TextProps {
  label: string
  value: string
  onInput: (value: string) => void
  hint?: ComponentChildren
  placeholder?: string
  type?: 'text' | 'number' | 'password' | 'time' | 'url'
  isMono?: boolean
  rows?: number
  min?: number
  max?: number
  step?: string
  required?: boolean
}

export function TextField({ label, value, onInput, hint, isMono, rows, ...rest }: TextProps) {
  const shared = {
    value,
    class: isMono ? 'input mono' : 'input',
    spellcheck: false,
    autocomplete: 'off' as const,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onInput(event.currentTarget.value),
  }
  // The type of the input is only known at run time, so a cast is needed.
  const inputProps = { type: 'text', ...shared, ...rest } as InputHTMLAttributes
  return (
    <Field label={label} hint={hint}>
      {id =>
        rows === undefined ? (
          <input {...inputProps} id={id} />
        ) : (
          <textarea id={id} rows={rows} placeholder={rest.placeholder} {...shared} />
        )
      }
    </Field>
  )
}

interface SelectProps<Value extends string> {
  label: string
  value: Value
  options: ReadonlyArray<readonly [Value, string]>
  onChange: (value: Value) => void
  hint?: ComponentChildren
}

export const SelectField = <Value extends string>({
  label,
  value,
  options,
  onChange,
  hint,
}: SelectProps<Value>) => (
  <Field label={label} hint={hint}>
    {id => (
      <select
        id={id}
        class="input"
        value={value}
        onChange={event => onChange(event.currentTarget.value as Value)}
      >
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    )}
  </Field>
)

export const CheckField = ({
  label,
  checked,
  onChange,
  hint,
}: {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
  hint?: string
}) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={event => onChange(event.currentTarget.checked)} />
    <span>
      {label}
      {hint && <span class="field-hint">{hint}</span>}
    </span>
  </label>
)

export interface Tab {
  id: string
  name: ComponentChildren
}

/** Tabs. The arrow keys move between them. */
export function Tabs({
  tabs,
  now,
  onChange,
  label,
}: {
  tabs: readonly Tab[]
  now: string
  onChange: (id: string) => void
  label: string
}) {
  const list = useRef<HTMLDivElement>(null)
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const at = tabs.findIndex(({ id }) => id === now)
    const next = tabs[(at + step + tabs.length) % tabs.length]!
    onChange(next.id)
    list.current?.querySelector<HTMLButtonElement>(`[data-tab="${next.id}"]`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKey}>
      {tabs.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          role="tab"
          data-tab={id}
          aria-selected={id === now}
          tabIndex={id === now ? 0 : -1}
          onClick={() => onChange(id)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <Button isSmall kind="ghost" icon="copy" onClick={copy}>
      {isCopied ? 'Copied' : label}
    </Button>
  )
}

/** Shows text as text, never as markup. */
export const Code = ({ text, label }: { text: string; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the user must be able to scroll it by keyboard
  <section class="code" tabIndex={0} aria-label={label}>
    <pre>{text}</pre>
  </section>
)
