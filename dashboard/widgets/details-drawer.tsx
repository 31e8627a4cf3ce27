import type { ReactNode } from 'react'
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { FailureBoundary } from './failure-boundary.tsx'

/**
 * Shows details over the right part of the page, and on narrow screens over the whole page. Escape
 * closes the details.
 */
export function DetailsDrawer(props: {
  title: string
  subtitle: string
  onClose: () => void
  children: ReactNode
}) {
  const { title, subtitle, onClose, children } = props
  return (
    <ModalOverlay
      className="overlay overlay-drawer"
      isOpen
      isDismissable
      onOpenChange={isOpen => {
        if (!isOpen) onClose()
      }}
    >
      <Modal className="drawer">
        <Dialog className="drawer-dialog">
          <div className="drawer-head">
            <div>
              <Heading slot="title" level={2}>
                {title}
              </Heading>
              <p className="quiet">{subtitle}</p>
            </div>
            <Button className="button button-quiet" onPress={onClose}>
              Close
            </Button>
          </div>
          <div className="drawer-body">
            <FailureBoundary subject="view">{children}</FailureBoundary>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
