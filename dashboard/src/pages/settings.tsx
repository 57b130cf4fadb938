// The settings in use, each with its description. The service removes secrets.
import { useState } from 'preact/hooks'
import type { SettingShown } from '../api.ts'
import { cell } from '../format.ts'
import { useLoad, useSession } from '../hooks.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Badge, Card, CheckField, Empty, Loading, Problem, withCode } from '../ui/parts.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { ShortTable } from '../ui/tables.tsx'

const valueText = (value: unknown): string =>
  Array.isArray(value) ? value.map(cell).join(', ') || 'none' : cell(value)

export default function SettingsPage() {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(() => client.settings(), [client])
  const [typed, setTyped] = useState('')
  const [isChanged, setChanged] = useState(false)
  const words = typed.trim().toLowerCase()
  const fits = ({ name, env, about, isDefault }: SettingShown) =>
    !(isChanged && isDefault) && `${name} ${env} ${about}`.toLowerCase().includes(words)
  const shown = value?.filter(fits) ?? []
  return (
    <>
      <PageHead
        title="Settings"
        sub="The settings in use. Change them in the environment or the settings file, then restart."
      />
      <div class="toolbar">
        <SearchBox label="Find settings" placeholder="Name or meaning" value={typed} onInput={setTyped} />
        <CheckField
          label="only settings that differ from the default"
          checked={isChanged}
          onChange={setChanged}
        />
      </div>
      {problem && <Problem message={problem} retry={reload} />}
      <Card isFlush>
        {!value && !problem && <Loading rows={8} />}
        {value && shown.length === 0 && <Empty title="No setting matches">Search for another word.</Empty>}
        {shown.length > 0 && <ShortTable stacks columns={columns} rows={shown} keyOf={({ name }) => name} />}
      </Card>
    </>
  )
}

const columns = [
  {
    name: 'Setting',
    show: ({ name, env }: SettingShown) => (
      <span class="two-lines">
        <b>{name}</b>
        <small class="mono">{env}</small>
      </span>
    ),
  },
  {
    name: 'Value',
    isLong: true,
    show: ({ value, isDefault }: SettingShown) => (
      <span class="value">
        {value === null ? <span class="muted">not set</span> : <code>{valueText(value)}</code>}
        {!isDefault && <Badge tone="info">set</Badge>}
      </span>
    ),
  },
  {
    name: 'Meaning',
    isLong: true,
    show: ({ about }: SettingShown) => <span class="muted">{withCode(about)}</span>,
  },
]
