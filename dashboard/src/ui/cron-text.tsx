// The times of a schedule or monitor, in words.
import { cronWords } from '../cron-words.ts'

export function CronText({ cron, timeZone }: { cron: string; timeZone: string }) {
  const words = cronWords(cron)
  if (!words)
    return (
      <>
        <code>{cron}</code> in {timeZone}
      </>
    )
  return (
    <>
      {words.replace(/^./, letter => letter.toUpperCase())} in {timeZone} (<code>{cron}</code>)
    </>
  )
}
