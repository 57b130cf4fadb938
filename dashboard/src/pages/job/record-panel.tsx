// Shows a record beside the page that it came from, with its fields marked in the page.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { cell } from '../../format.ts'
import { useLoad, useSession } from '../../hooks.ts'
import { to } from '../../router.ts'
import { Button, Card, Loading, Problem, WebLink } from '../../ui/parts.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Picker } from '../new-job/picker.tsx'
import type { Row } from './records-view.ts'

interface PanelProps {
  jobId: string
  row: Row
  /** The index of the record among the records of its page; null if unknown. */
  record: number | null
  onClose: () => void
}

export function RecordPanel({ jobId, row, record, onClose }: PanelProps) {
  const { client, may } = useSession()
  const [field, setField] = useState<string | null>(null)
  const look = useLoad(
    () => (may.submit ? client.jobs.look(jobId, row.itemId) : Promise.resolve(null)),
    [client, jobId, row.itemId],
  )
  const top = useRef<HTMLDivElement>(null)
  useEffect(() => top.current?.scrollIntoView({ block: 'start' }), [])
  const places = look.value?.fields ?? []
  const own = record === null ? places : places.filter(place => place.record === record)
  const marks = useMemo(
    () => ({
      rows: [],
      fields: own.filter(place => field === null || place.field === field).map(({ node }) => node),
    }),
    [look.value, field, record],
  )
  return (
    <div ref={top} class="scroll-target">
      <Card
        title="Record and page"
        hint={<WebLink url={row.url}>{row.url}</WebLink>}
        actions={
          <>
            <a class="button small" href={to(['jobs', jobId, 'items', row.itemId])}>
              Task
            </a>
            <Button isSmall icon="close" label="Close the record" onClick={onClose} />
          </>
        }
      >
        <div class="split">
          <ScrollBox label="Fields of the record" isTall>
            <table>
              <tbody>
                {Object.entries(row.data).map(([name, value]) => (
                  <tr key={name}>
                    <th scope="row">
                      {own.some(place => place.field === name) ? (
                        <button
                          type="button"
                          class="row-button"
                          aria-pressed={field === name}
                          onClick={() => setField(field === name ? null : name)}
                        >
                          {name}
                        </button>
                      ) : (
                        name
                      )}
                    </th>
                    <td class="wrap">{cell(value) || <span class="muted">–</span>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollBox>
          <div>
            {!may.submit && (
              <p class="muted">To see the page, sign in with a key that has the scope submit.</p>
            )}
            {look.problem && <Problem message={look.problem} retry={look.reload} />}
            {look.isLoading && may.submit && <Loading rows={5} />}
            {look.value && <Picker look={look.value} marks={marks} onPick={() => {}} />}
          </div>
        </div>
      </Card>
    </div>
  )
}
