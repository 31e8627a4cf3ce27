import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { ErrorBoundary } from 'react-error-boundary'
import { createDisplayFailure } from '../api/api-failure.ts'
import { FailureNote } from './failure-note.tsx'

/**
 * Shows one message in place of a part of the page that throws an error while it is rendered. The
 * other parts remain. `subject`: the word for the part. Another `resetKey` shows the part again.
 */
export function FailureBoundary(props: {
  subject: string
  resetKey?: unknown
  children: ReactNode
}) {
  const { subject, resetKey, children } = props
  return (
    <ErrorBoundary
      resetKeys={[resetKey]}
      fallbackRender={({ error, resetErrorBoundary }) => (
        <>
          <FailureNote failure={createDisplayFailure(error)} title={`This ${subject} is broken`} />
          <Button className="button" onPress={() => resetErrorBoundary()}>
            Show it again
          </Button>
        </>
      )}
    >
      {children}
    </ErrorBoundary>
  )
}
