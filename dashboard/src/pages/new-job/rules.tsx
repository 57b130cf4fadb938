// The fields of the record, one rule each. The user fills them by clicking in the page or by hand.
import type { ComponentChildren } from 'preact'
import type { Preview, TriedRecord } from '../../api.ts'
import { cell } from '../../format.ts'
import { Button, Card, CheckField, Code, Empty, Problem, SelectField, TextField } from '../../ui/parts.tsx'
import { type FieldDraft, fieldTypes } from './draft.ts'
import { RowsTable } from './rows-table.tsx'

export interface Tried {
  records: TriedRecord[]
  problem: string | null
}

interface RulesProps {
  fields: FieldDraft[]
  each: string
  /** The id of the field that the next click fills in; null if none. */
  current: number | null
  preview: Preview | null
  tried: Tried | null
  onChange: (fields: FieldDraft[]) => void
  onEach: (each: string) => void
  onCurrent: (id: number | null) => void
  onAdd: () => void
  /** Content that is shown above the fields. */
  children?: ComponentChildren
}

export function Rules(props: RulesProps) {
  const { fields, each, current, tried, onChange, onEach, onCurrent, onAdd, preview } = props
  const first = tried?.records[0]
  const change = (id: number, part: Partial<FieldDraft>) =>
    onChange(fields.map(field => (field.id === id ? { ...field, ...part } : field)))
  return (
    <>
      <Card
        title="Fields"
        hint="extracted from each page"
        actions={
          <Button isSmall icon="plus" onClick={onAdd}>
            Add field
          </Button>
        }
      >
        {props.children}
        {fields.length === 0 && (
          <Empty icon="target" title="The default record">
            {preview
              ? 'Without fields, a record has the title, text, links and structured data of the page. Click in the page to choose fields.'
              : 'Load a page first, then click the values that you want.'}
          </Empty>
        )}
        {fields.map(field => (
          <div key={field.id} class={field.id === current ? 'rule current' : 'rule'}>
            <div class="rule-line">
              <TextField label="Field" value={field.name} onInput={name => change(field.id, { name })} />
              <TextField
                label="Selector"
                isMono
                value={field.css}
                onInput={css => change(field.id, { css })}
              />
              <div class="actions">
                <Button
                  isSmall
                  kind="ghost"
                  icon="target"
                  isPressed={field.id === current}
                  label={`Pick ${field.name || 'the field'} in the page`}
                  onClick={() => onCurrent(field.id === current ? null : field.id)}
                />
                <Button
                  isSmall
                  kind="ghost"
                  icon="trash"
                  label={`Remove ${field.name || 'the field'}`}
                  onClick={() => onChange(fields.filter(({ id }) => id !== field.id))}
                />
              </div>
            </div>
            <div class="rule-line more">
              <SelectField
                label="Read as"
                value={field.as}
                options={[['', 'text'], ...fieldTypes.slice(1).map(type => [type, type] as const)]}
                onChange={as => change(field.id, { as })}
              />
              <TextField
                label="Attribute"
                isMono
                placeholder="none"
                value={field.attr}
                onInput={attr => change(field.id, { attr })}
              />
              <CheckField
                label="all matches"
                checked={field.many}
                onChange={many => change(field.id, { many })}
              />
              <CheckField
                label="required"
                checked={field.required}
                onChange={required => change(field.id, { required })}
              />
            </div>
            {first && field.name in first.data && <FieldValue name={field.name} record={first} />}
          </div>
        ))}
        {fields.length > 0 && (
          <TextField
            label="One record per"
            isMono
            placeholder="the page"
            value={each}
            onInput={onEach}
            hint="A selector like .product: each match becomes a record, and fields are searched inside it."
          />
        )}
      </Card>
      <RecordPreview tried={tried} isTable={each.trim() !== '' || (tried?.records.length ?? 0) > 1} />
    </>
  )
}

function FieldValue({ name, record }: { name: string; record: TriedRecord }) {
  const value = record.data[name]
  if (value === null)
    return <div class="rule-value muted">null: {record.provenance[name]?.why ?? 'nothing was found'}</div>
  const text = cell(value)
  return <div class="rule-value">= {text.length > 200 ? `${text.slice(0, 200)}…` : text}</div>
}

function RecordPreview({ tried, isTable }: { tried: Tried | null; isTable: boolean }) {
  if (!tried) return null
  const { records, problem } = tried
  const [first] = records
  return (
    <Card
      title={isTable ? 'Records' : 'Record'}
      hint={isTable ? `${records.length} from this page` : 'values from this page'}
    >
      {problem && <Problem message={problem} />}
      {!problem && isTable && <RowsTable records={records} />}
      {!problem && !isTable && first && <Code label="Record" text={JSON.stringify(first.data, null, 2)} />}
    </Card>
  )
}
