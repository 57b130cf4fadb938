// The settings as they are in force, each with what it is for; secrets are cut out by the service.
import { useState } from 'preact/hooks'
import type { SettingShown } from '../api.ts'
import { cell } from '../format.ts'
import { useLoad, useSession } from '../hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { Badge, Card, CheckField, Empty, Loading, Problem } from '../ui/parts.tsx'

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
      <div class="page-head">
        <div>
          <h1>Settings</h1>
          <p class="sub">
            As they are in force. They are changed in the environment or the settings file, and hold after a
            restart.
          </p>
        </div>
      </div>
      <div class="toolbar">
        <div class="search">
          <Icon name="search" />
          <input
            class="input"
            type="search"
            aria-label="Find settings"
            placeholder="Name or meaning"
            value={typed}
            onInput={event => setTyped(event.currentTarget.value)}
          />
        </div>
        <CheckField label="only what differs from the default" checked={isChanged} onChange={setChanged} />
      </div>
      {problem && <Problem message={problem} retry={reload} />}
      <Card isFlush>
        {!value && !problem && <Loading rows={8} />}
        {value && shown.length === 0 && <Empty title="No setting fits">Look for another word.</Empty>}
        {shown.length > 0 && (
          <div class="scroll-x">
            <table>
              <thead>
                <tr>
                  <th>Setting</th>
                  <th>Value</th>
                  <th>What it is for</th>
                </tr>
              </thead>
              <tbody>
                {shown.map(setting => (
                  <tr key={setting.name}>
                    <td>
                      <span class="two-lines">
                        <b>{setting.name}</b>
                        <small class="mono">{setting.env}</small>
                      </span>
                    </td>
                    <td class="wrap value">
                      {setting.value === null ? (
                        <span class="muted">not set</span>
                      ) : (
                        <code>{valueText(setting.value)}</code>
                      )}{' '}
                      {!setting.isDefault && <Badge tone="info">set</Badge>}
                    </td>
                    <td class="wrap muted">{setting.about}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Card>
    </>
  )
}
