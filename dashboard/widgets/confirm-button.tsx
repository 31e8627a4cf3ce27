import { type ReactNode, useState } from 'react'
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { type ApiFailure, toFailure } from '../api/api-failure.ts'
import { FailureNote } from './failure-note.tsx'

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
  const [failure, setFailure] = useState<ApiFailure>()
  const [resultText, setResultText] = useState<string>()
  const [isSending, setIsSending] = useState(false)
  const send = async (): Promise<void> => {
    setIsSending(true)
    try {
      const result = await run()
      if (typeof result === 'string') setResultText(result)
      else close()
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
      {resultText === undefined ? children : <p role="status">{resultText}</p>}
      {failure === undefined ? null : <FailureNote failure={failure} />}
      <div className="modal-buttons">
        <Button className="button" onPress={close} autoFocus>
          {resultText === undefined ? refuseLabel : 'Close'}
        </Button>
        {resultText === undefined ? (
          <Button
            className={`button ${isDanger ? 'button-danger' : 'button-primary'}`}
            isDisabled={isSending}
            onPress={() => void send()}
          >
            {action}
          </Button>
        ) : null}
      </div>
    </>
  )
}
