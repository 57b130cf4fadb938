// Buttons that control a job. Only those that its state and the key allow are shown.
import { useState } from 'preact/hooks'
import type { JobStatus } from '../../api.ts'
import { bytes, count } from '../../format.ts'
import { useAct, useLoad, useSession } from '../../hooks.ts'
import { go } from '../../router.ts'
import { hasEnded, isAtLimit } from '../../state-words.ts'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Button, Loading, Problem, TextField } from '../../ui/parts.tsx'

export function JobSteering({ job, onChange }: { job: JobStatus; onChange: () => void }) {
  const { client, may } = useSession()
  const did = useAct()
  const [asking, setAsking] = useState<'cancel' | 'delete' | 'raise' | null>(null)
  if (!may.submit) return null
  const { jobId, status, counts } = job
  const isOver = hasEnded(status)
  const act = async (done: string, action: () => Promise<unknown>) => {
    await did(done, action)
    onChange()
  }
  const again = counts.byState.failed + (status === 'cancelled' ? counts.byState.cancelled : 0)
  const close = () => setAsking(null)
  return (
    <>
      {['pending', 'running'].includes(status) && (
        <Button icon="pause" onClick={() => act('The job is paused.', () => client.jobs.pause(jobId))}>
          Pause
        </Button>
      )}
      {status === 'paused' && !isAtLimit(job) && (
        <Button
          kind="primary"
          icon="play"
          onClick={() => act('The job continues.', () => client.jobs.resume(jobId))}
        >
          Resume
        </Button>
      )}
      {isOver && again > 0 && (
        <Button
          icon="again"
          onClick={() => act('The failed tasks run again.', () => client.jobs.retry(jobId))}
        >
          Retry {count(again)} failed
        </Button>
      )}
      <Button kind={isAtLimit(job) ? 'primary' : 'plain'} onClick={() => setAsking('raise')}>
        Raise limit
      </Button>
      {!isOver && (
        <Button kind="danger" icon="stop" onClick={() => setAsking('cancel')}>
          Cancel
        </Button>
      )}
      {isOver && (
        <Button kind="danger" icon="trash" onClick={() => setAsking('delete')}>
          Delete
        </Button>
      )}
      {asking === 'cancel' && (
        <Confirm
          title="Cancel the job?"
          action="Cancel the job"
          onClose={close}
          onConfirm={() => act('The job is cancelled.', () => client.jobs.cancel(jobId))}
        >
          <p>
            Waiting tasks are cancelled, and running tasks are aborted. Records stay. The job can be retried
            later.
          </p>
        </Confirm>
      )}
      {asking === 'delete' && (
        <Confirm
          title="Delete the job?"
          action="Delete it"
          onClose={close}
          onConfirm={() =>
            act('The job is deleted.', async () => {
              await client.jobs.delete(jobId)
              go(['jobs'])
            })
          }
        >
          <p>
            {count(counts.records)} records and all pages of <b>{jobId}</b> are deleted too. This cannot be
            undone.
          </p>
        </Confirm>
      )}
      {asking === 'raise' && <RaiseLimit job={job} onClose={close} onChange={onChange} />}
    </>
  )
}

interface RaiseProps {
  job: JobStatus
  onClose: () => void
  onChange: () => void
}

const limitFields = [
  ['pages', 'Pages'],
  ['bytes', 'Bytes'],
  ['browserSeconds', 'Browser seconds'],
  ['money', 'Money'],
] as const

const spentWords = (name: (typeof limitFields)[number][0], spent: number): string =>
  name === 'bytes' ? bytes(spent) : count(Math.round(spent * 100) / 100)

function RaiseLimit({ job, onClose, onChange }: RaiseProps) {
  const { client } = useSession()
  const did = useAct()
  const { value, problem, reload } = useLoad(() => client.jobs.policy(job.jobId), [client, job.jobId])
  const [typed, setTyped] = useState<Record<string, string>>({})
  const raise = async () => {
    const given = Object.entries(typed).filter(([, text]) => text.trim() !== '')
    const limits = Object.fromEntries(given.map(([name, text]) => [name, Number(text)]))
    if (!(await did('The limit is raised.', () => client.jobs.raise(job.jobId, limits)))) return
    onChange()
    onClose()
  }
  return (
    <Dialog title="Raise the limit" onClose={onClose}>
      <div class="dialog-body">
        <p class="muted">Enter the new totals. A job that stopped at a limit continues.</p>
        {problem && <Problem message={problem} retry={reload} />}
        {!value && !problem && <Loading rows={2} />}
        {value && (
          <div class="fields">
            {limitFields.map(([name, words]) => (
              <TextField
                key={name}
                label={words}
                type="number"
                min={0}
                step="any"
                value={typed[name] ?? ''}
                placeholder={value.limits[name] === undefined ? 'no limit' : String(value.limits[name])}
                onInput={text => setTyped({ ...typed, [name]: text })}
                hint={`${spentWords(name, value.spent[name])} used`}
              />
            ))}
          </div>
        )}
      </div>
      <footer class="dialog-foot">
        <Button onClick={onClose}>Close</Button>
        <Button
          kind="primary"
          disabled={!Object.values(typed).some(text => text.trim() !== '')}
          onClick={raise}
        >
          Raise
        </Button>
      </footer>
    </Dialog>
  )
}
