// Scrapers: those that a job can use, and files that could not be loaded.
import { useLoad, useSession } from '../hooks.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Badge, Card, Loading, Problem, withCode } from '../ui/parts.tsx'
import { ShortTable } from '../ui/tables.tsx'

export default function ScrapersPage() {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(() => client.scrapers(), [client])
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading />
  return (
    <>
      <PageHead
        title="Scrapers"
        sub={withCode(
          'Set `scraper_id` of a job to one of these. Without it, a job makes the default record.',
        )}
      />
      {value.broken.map(({ file, message }) => (
        <Problem key={file} message={`${file}: ${message}`} />
      ))}
      <Card isFlush>
        <ShortTable
          stacks
          rows={value.scrapers}
          keyOf={({ scraperId }) => scraperId}
          columns={[
            { name: 'Scraper', show: ({ scraperId }) => <code>{scraperId}</code> },
            { name: 'Version', show: ({ version }) => version },
            { name: 'Type', show: ({ kind }) => <Badge tone="idle">{kind}</Badge> },
            {
              name: 'What it does',
              isLong: true,
              show: ({ name, description }) => withCode(description || name),
            },
          ]}
        />
      </Card>
    </>
  )
}
