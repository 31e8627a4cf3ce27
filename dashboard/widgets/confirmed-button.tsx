import { useState, type ReactNode } from 'react'
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { type ApiFailure, toFailure } from '../api/api-failure.ts'
import { FailureNote } from './failure-note.tsx'

/** An action that changes something, with the texts of its confirmation. */
export interface ConfirmedAction {
  /** The text of the button that opens the confirmation. */
  readonly label: string
  readonly title: string
  /** The effects of the action. */
  readonly effects: ReactNode
  readonly confirmLabel: string
  readonly refuseLabel: string
  readonly isDangerous: boolean
  /** Sends the request. A returned text is shown, and the dialog stays open. Throws ApiFailure. */
  readonly send: () => Promise<string | undefined>
}

/** Shows a button that does something after a confirmation. */
export function ConfirmedButton({ action }: { action: ConfirmedAction }) {
  const [isConfirming, setIsConfirming] = useState(false)
  return (
    <>
      <Button className="button" onPress={() => setIsConfirming(true)}>
        {action.label}
      </Button>
      <ModalOverlay
        className="overlay overlay-center"
        isDismissable
        isOpen={isConfirming}
        onOpenChange={setIsConfirming}
      >
        <Modal className="modal">
          <Dialog role="alertdialog" className="modal-dialog">
            {({ close }) => <ConfirmationForm action={action} close={close} />}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </>
  )
}

function ConfirmationForm({ action, close }: { action: ConfirmedAction; close: () => void }) {
  // The texts stay those of the confirmed action while the page is read again.
  const [{ title, effects, confirmLabel, refuseLabel, isDangerous, send }] = useState(action)
  const [failure, setFailure] = useState<ApiFailure>()
  const [resultText, setResultText] = useState<string>()
  const [isSending, setIsSending] = useState(false)
  const confirm = async (): Promise<void> => {
    setIsSending(true)
    setFailure(undefined)
    try {
      const text = await send()
      if (text === undefined) close()
      else setResultText(text)
    } catch (thrown) {
      setFailure(toFailure(thrown))
      setIsSending(false)
    }
  }
  return (
    <>
      <Heading slot="title" level={2}>
        {title}
      </Heading>
      {resultText === undefined ? <p>{effects}</p> : <p role="status">{resultText}</p>}
      {failure === undefined ? null : <FailureNote failure={failure} />}
      <div className="modal-buttons">
        <Button className="button" onPress={close} autoFocus>
          {resultText === undefined ? refuseLabel : 'Close'}
        </Button>
        {resultText === undefined ? (
          <Button
            className={`button ${isDangerous ? 'button-danger' : 'button-primary'}`}
            isDisabled={isSending}
            onPress={() => void confirm()}
          >
            {confirmLabel}
          </Button>
        ) : null}
      </div>
    </>
  )
}
