// A form field for times: presets in words, or a cron expression.
import { useState } from 'preact/hooks'
import { cronWords, presets } from '../cron-words.ts'
import { SelectField, TextField } from './parts.tsx'

interface CronProps {
  cron: string
  timeZone: string
  /** The text for an empty value. Without it, a value is required. */
  none?: string
  onChange: (part: { cron?: string; timeZone?: string }) => void
}

export function CronField({ cron, timeZone, none, onChange }: CronProps) {
  const [time, setTime] = useState('07:00')
  const known = Object.entries(presets).find(([, preset]) => preset.cron(time) === cron.trim())?.[0]
  const [isOwn, setOwn] = useState(false)
  const chosen = isOwn ? 'own' : cron.trim() === '' ? 'none' : (known ?? 'own')
  const choose = (id: string) => {
    setOwn(id === 'own')
    if (id === 'none') onChange({ cron: '' })
    else if (id !== 'own') onChange({ cron: presets[id]!.cron(time) })
  }
  const words = cronWords(cron)
  return (
    <>
      <SelectField
        label="Runs"
        value={chosen}
        options={[
          ...(none === undefined ? [] : [['none', none] as const]),
          ...Object.entries(presets).map(([id, preset]) => [id, preset.words] as const),
          ['own', 'A cron expression'] as const,
        ]}
        onChange={choose}
      />
      {presets[chosen]?.hasTime && (
        <TextField
          label="At"
          type="time"
          value={time}
          onInput={next => {
            setTime(next)
            if (next !== '') onChange({ cron: presets[chosen]!.cron(next) })
          }}
        />
      )}
      <TextField
        label="Schedule (cron)"
        isMono
        value={cron}
        onInput={next => onChange({ cron: next })}
        placeholder="30 2 * * *"
        hint={words ? `${words} in ${timeZone}` : 'minute, hour, day, month, weekday'}
      />
      <TextField label="Time zone" value={timeZone} onInput={next => onChange({ timeZone: next })} />
    </>
  )
}
