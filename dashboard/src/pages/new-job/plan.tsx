// What a job would do, before it does it.
import type { NewJob } from '../../api.ts'
import { useLoad, useSession } from '../../hooks.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, Code, Loading, Problem } from '../../ui/parts.tsx'

export function PlanDialog({ job, onClose }: { job: NewJob; onClose: () => void }) {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(() => client.plan(job), [client])
  return (
    <Dialog title="Plan" onClose={onClose}>
      <div class="dialog-body">
        {problem && <Problem message={problem} retry={reload} />}
        {!value && !problem && <Loading />}
        {value && <Code label="Plan" text={JSON.stringify(value, null, 2)} />}
      </div>
      <footer class="dialog-foot">
        <Button onClick={onClose}>Close</Button>
      </footer>
    </Dialog>
  )
}
