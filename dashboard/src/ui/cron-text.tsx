// The times of a schedule or monitor, in words.
import { cronSentence } from '../cron-words.ts'

export function CronText({ cron, timeZone }: { cron: string; timeZone: string }) {
  const words = cronSentence(cron)
  if (!words)
    return (
      <>
        <code>{cron}</code> in {timeZone}
      </>
    )
  return (
    <>
      {words} in {timeZone} (<code>{cron}</code>)
    </>
  )
}
