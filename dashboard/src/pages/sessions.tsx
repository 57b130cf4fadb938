// Sessions: named cookies and storage that jobs use across runs. Values are never shown.
import { useState } from 'preact/hooks'
import type { SessionShown } from '../api.ts'
import { count } from '../format.ts'
import { useAct, useLoad, useSession } from '../hooks.ts'
import { Confirm } from '../ui/dialog.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Button, Card, Empty, Loading, Problem, Time } from '../ui/parts.tsx'
import { ShortTable } from '../ui/tables.tsx'

const mostDomains = 3

export default function SessionsPage() {
  const { client } = useSession()
  const did = useAct()
  const { value, problem, reload } = useLoad(() => client.sessions(), [client])
  const [deleted, setDeleted] = useState<SessionShown | null>(null)
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading />
  const remove = async (name: string) => {
    setDeleted(null)
    await did(`The session ${name} was deleted.`, () => client.deleteSession(name))
    reload()
  }
  return (
    <>
      <PageHead
        title="Sessions"
        sub={
          <>
            Log in once, and let jobs use the login: set <code>session</code> of a job to the session’s name.
          </>
        }
      />
      <Card isFlush>
        {value.length === 0 ? (
          <Empty icon="key" title="No sessions yet">
            <span>
              <code>kscrape login shop https://shop.example</code> opens a browser to log in.
            </span>
          </Empty>
        ) : (
          <ShortTable
            rows={value}
            keyOf={({ name }) => name}
            columns={[
              { name: 'Session', show: ({ name }) => <b>{name}</b> },
              { name: 'Cookies', isNumber: true, show: ({ cookies }) => count(cookies) },
              { name: 'Of', isLong: true, show: ({ domains }) => domainWords(domains) },
              { name: 'Saved', show: ({ savedAt }) => <Time at={savedAt} /> },
              {
                name: 'Actions',
                show: session => (
                  <Button
                    isSmall
                    kind="ghost"
                    icon="trash"
                    label={`Delete ${session.name}`}
                    onClick={() => setDeleted(session)}
                  />
                ),
              },
            ]}
          />
        )}
      </Card>
      {deleted && (
        <Confirm
          title={`Delete ${deleted.name}?`}
          action="Delete it"
          onClose={() => setDeleted(null)}
          onConfirm={() => remove(deleted.name)}
        >
          Jobs that use this session are logged out when they request their next page.
        </Confirm>
      )}
    </>
  )
}

const domainWords = (domains: readonly string[]): string =>
  domains.length <= mostDomains
    ? domains.join(', ')
    : `${domains.slice(0, mostDomains).join(', ')} and ${domains.length - mostDomains} more`
