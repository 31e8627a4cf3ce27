import { useState } from 'react'
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { type ApiFailure, toFailure } from '../api/api-failure.ts'
import { allowsRole, apiPathOf, type ProjectAndStack } from '../api/api-views.ts'
import { useClient } from '../session/client-context.ts'
import { FailureNote } from '../widgets/failure-note.tsx'

type CancelTarget = ProjectAndStack & {
  number: number
  /** The stop that was requested before: `none`, `graceful` or `forced`. */
  stop: string
  onCancelled: () => void
}

/** Shows the button that cancels an open deployment, or why the token may not cancel it. */
export function CancelButton(target: CancelTarget) {
  const { permissions } = useClient()
  const [isConfirming, setIsConfirming] = useState(false)
  if (!allowsRole(permissions, 'deploy'))
    return (
      <p className="head-action quiet">
        Cancelling needs a token with the role <b>deploy</b>
      </p>
    )
  return (
    <>
      <Button className="button head-action" onPress={() => setIsConfirming(true)}>
        {target.stop === 'none' ? 'Cancel…' : 'Abandon…'}
      </Button>
      <ModalOverlay
        className="overlay overlay-center"
        isDismissable
        isOpen={isConfirming}
        onOpenChange={setIsConfirming}
      >
        <Modal className="modal">
          <Dialog role="alertdialog" className="modal-dialog">
            {({ close }) => <CancelForm {...target} close={close} />}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </>
  )
}

function CancelForm(props: CancelTarget & { close: () => void }) {
  const { project, stack, number, stop, onCancelled, close } = props
  const { client } = useClient()
  const [failure, setFailure] = useState<ApiFailure>()
  const [isSending, setIsSending] = useState(false)
  const isForced = stop !== 'none'
  const send = async (): Promise<void> => {
    setIsSending(true)
    try {
      const path = `${apiPathOf({ project, stack })}/deployments/${number}/cancel`
      await client.send(path, { force: isForced })
      onCancelled()
      close()
    } catch (thrown) {
      setFailure(toFailure(thrown))
      setIsSending(false)
    }
  }
  return (
    <>
      <Heading slot="title" level={2}>
        {isForced ? 'Abandon the running operations?' : `Cancel deployment #${number}?`}
      </Heading>
      {isForced ? (
        <p>
          The deployment ends now. The results of its running operations are unknown, and the state
          lists them as pending operations that a person must check.
        </p>
      ) : (
        <p>
          No further operation begins. The running ones end normally, and their results are
          recorded. Resources that were changed so far stay as they are.
        </p>
      )}
      {failure === undefined ? null : <FailureNote failure={failure} />}
      <div className="modal-buttons">
        <Button className="button" onPress={close} autoFocus>
          Keep it running
        </Button>
        <Button className="button button-danger" isDisabled={isSending} onPress={() => void send()}>
          {isForced ? 'Abandon operations' : 'Cancel deployment'}
        </Button>
      </div>
    </>
  )
}
