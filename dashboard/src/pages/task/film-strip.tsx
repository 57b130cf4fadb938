// The steps of a failed task as small screenshots, in order.
import type { Item } from '../../api.ts'
import { useSession } from '../../hooks.ts'
import { Card } from '../../ui/parts.tsx'
import { Picture } from '../../ui/picture.tsx'

const stepNumber = (artifact: string): number | null => {
  const number = /(?:^|-)step-(\d+)$/.exec(artifact)?.[1]
  return number === undefined ? null : Number(number)
}

export const isStep = (artifact: string): boolean => stepNumber(artifact) !== null

export function FilmStrip({ jobId, task }: { jobId: string; task: Item }) {
  const { client } = useSession()
  const steps = task.artifacts.filter(isStep).sort((one, other) => stepNumber(one)! - stepNumber(other)!)
  // The screenshot of the page when a step failed in the last attempt.
  const failed = task.artifacts.filter(name => /^failed-\d+-screenshot$/.test(name)).at(-1)
  if (steps.length === 0 && failed === undefined) return null
  return (
    <Card title="Steps" hint="the page after each step, up to the failed step">
      <ol class="film">
        {steps.map(step => (
          <li key={step}>
            <Picture
              load={() => client.jobs.download(jobId, task.itemId, step)}
              alt={`After step ${stepNumber(step)}`}
            />
            <span>Step {stepNumber(step)}</span>
          </li>
        ))}
        {failed && (
          <li key={failed}>
            <Picture
              load={() => client.jobs.download(jobId, task.itemId, failed)}
              alt="When the step failed"
            />
            <span>Failed here</span>
          </li>
        )}
      </ol>
    </Card>
  )
}
