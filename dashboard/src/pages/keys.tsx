// API keys and their rights. A key is shown once, when it is created.
import { useState } from 'preact/hooks'
import { type KeyShown, messageOf } from '../api.ts'
import { useAct, useLoad, useSession } from '../hooks.ts'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { PageHead } from '../ui/page-head.tsx'
import {
  Badge,
  Button,
  Card,
  CheckField,
  CopyButton,
  Empty,
  Loading,
  Problem,
  SelectField,
  TextField,
  Time,
} from '../ui/parts.tsx'
import { ShortTable } from '../ui/tables.tsx'

export default function KeysPage() {
  const { client, account } = useSession()
  const did = useAct()
  const { value, problem, reload } = useLoad(() => client.keys.list(), [client])
  const [isMaking, setMaking] = useState(false)
  const [revoking, setRevoking] = useState<KeyShown | null>(null)
  const revoke = async ({ keyId }: KeyShown) => {
    await did('The key is revoked.', () => client.keys.revoke(keyId))
    reload()
  }
  return (
    <>
      <PageHead
        title="Keys"
        sub={
          <>
            You are <code>{account.keyId}</code>.
          </>
        }
      >
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          New key
        </Button>
      </PageHead>
      {problem && <Problem message={problem} retry={reload} />}
      <Card isFlush>
        {!value && !problem && <Loading />}
        {value?.length === 0 && (
          <Empty icon="key" title="No keys were created">
            The service runs with the key from its settings. Create one key for each program, with no more
            rights than it needs.
          </Empty>
        )}
        {value && value.length > 0 && (
          <ShortTable columns={keyColumns(setRevoking)} rows={value} keyOf={({ keyId }) => keyId} />
        )}
      </Card>
      {isMaking && <NewKeyDialog onClose={() => setMaking(false)} onMade={reload} />}
      {revoking && (
        <Confirm
          title="Revoke the key?"
          action="Revoke it"
          onClose={() => setRevoking(null)}
          onConfirm={() => revoke(revoking)}
        >
          <p>
            Requests with <code>{revoking.prefix}…</code> ({revoking.name}) are refused. Its jobs continue.
          </p>
        </Confirm>
      )}
    </>
  )
}

const keyColumns = (onRevoke: (key: KeyShown) => void) => [
  {
    name: 'Key',
    show: ({ name, prefix }: KeyShown) => (
      <span class="two-lines">
        <b>{name}</b>
        <small class="mono">{prefix}…</small>
      </span>
    ),
  },
  { name: 'Workspace', show: ({ workspace }: KeyShown) => workspace },
  {
    name: 'May',
    show: ({ scopes }: KeyShown) => (
      <span class="tags">
        {scopes.map(scope => (
          <span key={scope} class="tag">
            {scope}
          </span>
        ))}
      </span>
    ),
  },
  { name: 'Limits', show: limitWords },
  { name: 'Created', show: ({ createdAt }: KeyShown) => <Time at={createdAt} /> },
  {
    name: 'State',
    show: ({ revokedAt }: KeyShown) => (
      <Badge tone={revokedAt ? 'idle' : 'ok'}>{revokedAt ? 'revoked' : 'in force'}</Badge>
    ),
  },
  {
    name: '',
    isNumber: true,
    show: (key: KeyShown) =>
      !key.revokedAt && (
        <Button isSmall kind="danger" label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
          Revoke
        </Button>
      ),
  },
]

function limitWords({ limits }: KeyShown) {
  const words = [
    limits.requestsPerMinute && `${limits.requestsPerMinute} requests/min`,
    limits.concurrentJobs && `${limits.concurrentJobs} jobs`,
    limits.queueDepth && `${limits.queueDepth} tasks`,
  ].filter(Boolean)
  return words.length === 0 ? <span class="muted">none</span> : words.join(', ')
}

const reaches = [
  ['read', 'Read'],
  ['submit', 'Read and start jobs'],
  ['admin', 'Everything'],
] as const

function NewKeyDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const { client, account } = useSession()
  const [name, setName] = useState('')
  const [workspace, setWorkspace] = useState(account.workspace)
  const [reach, setReach] = useState<(typeof reaches)[number][0]>('submit')
  const [perMinute, setPerMinute] = useState('')
  const [made, setMade] = useState<string | null>(null)
  const [isSeen, setSeen] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const make = async () => {
    try {
      const { key } = await client.keys.create({
        ...{
          name: name.trim(),
          workspace: workspace.trim(),
          scopes: reach === 'submit' ? ['read', 'submit'] : [reach],
        },
        ...(perMinute && { limits: { requestsPerMinute: Number(perMinute) } }),
      })
      setMade(key)
      onMade()
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  if (made)
    return (
      <Dialog title="The new key" onClose={onClose}>
        <div class="dialog-body">
          <p>Copy it now: it is not shown again.</p>
          <div class="key-shown">
            <code>{made}</code>
            <CopyButton text={made} />
          </div>
          <CheckField label="I have copied it" checked={isSeen} onChange={setSeen} />
        </div>
        <footer class="dialog-foot">
          <Button kind="primary" disabled={!isSeen} onClick={onClose}>
            Done
          </Button>
        </footer>
      </Dialog>
    )
  return (
    <Dialog title="New key" onClose={onClose}>
      <div class="dialog-body">
        <TextField label="Name" value={name} onInput={setName} placeholder="price watcher" />
        <div class="fields">
          <SelectField label="May" value={reach} options={reaches} onChange={setReach} />
          <TextField label="Workspace" value={workspace} onInput={setWorkspace} />
          <TextField
            label="Requests a minute"
            type="number"
            min={1}
            value={perMinute}
            onInput={setPerMinute}
            placeholder="no limit"
          />
        </div>
        {problem && <Problem message={problem} />}
      </div>
      <footer class="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={name.trim() === ''} onClick={make}>
          Create the key
        </Button>
      </footer>
    </Dialog>
  )
}
