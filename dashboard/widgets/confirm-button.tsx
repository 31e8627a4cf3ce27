import { type ReactNode, useState } from 'react'
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { FailureNote } from './failure-note.tsx'
import { type ConfirmedAction, sendConfirmed } from './send-confirmed.ts'

/** An action that needs a confirmation. */
export interface ConfirmButtonProps {
  /** The text of the button that opens the confirmation. */
  label: string
  /** The name of the button for screen readers, if its text alone is ambiguous. */
  fullLabel?: string
  title: string
  /** The text of the button that acts. */
  action: string
  isDanger: boolean
  /** The text of the button that does nothing. */
  refuseLabel?: string
  /**
   * Sends the request. Its error is shown in the confirmation. A text as the result is shown too,
   * and any other result closes the confirmation.
   */
  run: () => Promise<unknown>
  /** The effect of the action. */
  children: ReactNode
}

/** Shows a button that opens a confirmation. The confirmation describes the action, and runs it. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, fullLabel = label } = props
  const [isConfirming, setIsConfirming] = useState(false)
  return (
    <>
      <Button className="button" aria-label={fullLabel} onPress={() => setIsConfirming(true)}>
        {label}
      </Button>
      <ModalOverlay
        className="overlay overlay-center"
        isDismissable
        isOpen={isConfirming}
        onOpenChange={setIsConfirming}
      >
        <Modal className="modal">
          <Dialog role="alertdialog" className="modal-dialog">
            {({ close }) => <ConfirmForm {...props} close={close} />}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </>
  )
}

function ConfirmForm(props: ConfirmButtonProps & { close: () => void }) {
  const { close } = props
  // The page may change meanwhile. The user confirms the action that was shown at first.
  const [{ title, action, isDanger, run, children, refuseLabel = 'Cancel' }] = useState(props)
  const [sent, show] = useState<ConfirmedAction>({ kind: 'ready' })
  const failure = sent.kind === 'ready' ? sent.failure : undefined
  return (
    <>
      <Heading slot="title" level={2}>
        {title}
      </Heading>
      {sent.kind === 'done' ? <p role="status">{sent.text}</p> : children}
      {failure === undefined ? null : <FailureNote failure={failure} />}
      <div className="modal-buttons">
        <Button className="button" onPress={close} autoFocus>
          {sent.kind === 'done' ? 'Close' : refuseLabel}
        </Button>
        {sent.kind === 'done' ? null : (
          <Button
            className={`button ${isDanger ? 'button-danger' : 'button-primary'}`}
            isDisabled={sent.kind === 'sending'}
            onPress={() => void sendConfirmed(run, { show, close })}
          >
            {action}
          </Button>
        )}
      </div>
    </>
  )
}
