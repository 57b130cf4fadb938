// The records that the rules extract from this page, as a table, with the share of rows that have each field.
import type { TriedRecord } from '../../api.ts'
import { cell } from '../../format.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'

const mostRows = 200

export function RowsTable({ records }: { records: TriedRecord[] }) {
  const columns = Object.keys(records[0]?.data ?? {})
  const share = (name: string): number =>
    records.filter(({ data }) => isFilled(data[name])).length / records.length
  return (
    <ScrollBox label="Records of this page" isTall>
      <table>
        <thead>
          <tr>
            {columns.map(name => (
              <th key={name} scope="col">
                {name} <span class={share(name) < 1 ? 'share part' : 'share'}>{percent(share(name))}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.slice(0, mostRows).map(({ data }, index) => (
            <tr key={index}>
              {columns.map(name => (
                <td key={name} class="clip-cell" title={cell(data[name])}>
                  {isFilled(data[name]) ? cell(data[name]) : <span class="muted">–</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

const isFilled = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)

const percent = (share: number): string => `${Math.round(share * 100)} %`
