// Uploads: files of rows, by drag and drop, for jobs with long lists.
import { useRef, useState } from 'preact/hooks'
import { messageOf, type UploadShown } from '../api.ts'
import { bytes } from '../format.ts'
import { useAct, useListing, useSession } from '../hooks.ts'
import { to } from '../router.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Badge, Button, Card, Empty, Problem, Time } from '../ui/parts.tsx'
import { Listed } from '../ui/tables.tsx'

const endings = '.txt,.csv,.tsv,.json,.jsonl,.ndjson,.xlsx,.gz'

export default function UploadsPage() {
  const { client, say } = useSession()
  const did = useAct()
  const uploads = useListing(() => client.uploads.list(), [client])
  const [sending, setSending] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const send = async (files: Iterable<File>) => {
    setProblem(null)
    for (const file of files) {
      setSending(file.name)
      try {
        await client.uploads.send(file, { fileName: file.name })
        say(`${file.name} is uploaded.`)
      } catch (error) {
        setProblem(`${file.name}: ${messageOf(error)}`)
      }
    }
    setSending(null)
    uploads.reload()
  }
  const remove = async ({ uploadId, fileName }: UploadShown) => {
    await did(`${fileName} was deleted.`, () => client.uploads.delete(uploadId))
    uploads.reload()
  }
  return (
    <>
      <PageHead title="Uploads" sub="Files with one address or one row per line, for jobs with long lists." />
      <DropZone sending={sending} onFiles={send} />
      {problem && <Problem message={problem} />}
      <Card isFlush>
        <Listed
          label="Uploads"
          listing={uploads}
          keyOf={({ uploadId }) => uploadId}
          rowHeight={54}
          minWidth="760px"
          columns={[
            { name: 'File', width: 'minmax(220px, 2fr)', show: ({ fileName }) => <b>{fileName}</b> },
            { name: 'Size', width: '110px', isNumber: true, show: upload => bytes(upload.bytes) },
            {
              name: 'State',
              width: '130px',
              show: ({ status }) => <Badge tone={tones[status]}>{status}</Badge>,
            },
            { name: 'Sent', width: '150px', show: ({ createdAt }) => <Time at={createdAt} /> },
            {
              name: 'Actions',
              width: '220px',
              show: upload => (
                <span class="actions">
                  {upload.status === 'complete' && (
                    <a class="button small" href={to(['new'], { upload: upload.uploadId })}>
                      Create a job from it
                    </a>
                  )}
                  <Button
                    isSmall
                    kind="ghost"
                    icon="trash"
                    label={`Delete ${upload.fileName}`}
                    onClick={() => remove(upload)}
                  />
                </span>
              ),
            },
          ]}
        >
          <Empty icon="up" title="No uploads yet">
            Drop a CSV, an Excel sheet, JSON lines or a list of addresses above.
          </Empty>
        </Listed>
      </Card>
    </>
  )
}

const tones = { complete: 'ok', waiting: 'idle', expired: 'bad' } as const

function DropZone({
  sending,
  onFiles,
}: {
  sending: string | null
  onFiles: (files: Iterable<File>) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const over = (event: DragEvent, is: boolean) => {
    event.preventDefault()
    setOver(is)
  }
  return (
    <section
      class={isOver ? 'drop over' : 'drop'}
      aria-label="Drop files here"
      onDragOver={event => over(event, true)}
      onDragLeave={event => over(event, false)}
      onDrop={event => {
        over(event, false)
        onFiles([...(event.dataTransfer?.files ?? [])])
      }}
    >
      <span>{sending === null ? 'Drop files here, or' : `Sending ${sending}…`}</span>
      <Button kind="primary" icon="up" disabled={sending !== null} onClick={() => input.current?.click()}>
        Choose files
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={endings}
        aria-label="Files"
        onChange={event => {
          const files = [...(event.currentTarget.files ?? [])]
          event.currentTarget.value = ''
          onFiles(files)
        }}
      />
    </section>
  )
}
