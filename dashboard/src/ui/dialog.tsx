// A modal dialog, using the browser's own element: it traps the focus, and Escape closes it.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from './parts.tsx'

interface DialogProps {
  title: string
  onClose: () => void
  children: ComponentChildren
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    element.current?.showModal()
    return () => element.current?.close()
  }, [])
  return (
    <dialog ref={element} class="dialog" aria-labelledby={id} onClose={onClose}>
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="ghost" icon="close" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  /** A description of what the action will do. */
  children: ComponentChildren
  action: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** A confirmation dialog for actions that cannot be undone. */
export function Confirm({ title, children, action, onConfirm, onClose }: ConfirmProps) {
  const confirm = async () => {
    await onConfirm()
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-body">{children}</div>
      <footer class="dialog-foot">
        <Button onClick={onClose}>Go back</Button>
        <Button kind="danger" onClick={confirm}>
          {action}
        </Button>
      </footer>
    </Dialog>
  )
}
