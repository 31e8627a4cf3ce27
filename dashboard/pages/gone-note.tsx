import type { ApiFailure } from '../api/api-failure.ts'
import { hrefOf } from '../routing/page-route.ts'
import { usePageTitle } from './use-page-title.ts'

/** Shows that the subject of a page does not exist, or no longer exists. */
export function GoneNote(props: {
  failure: ApiFailure
  subject: string
  /** Whether the page shows the subject as soon as it exists. */
  isAwaited?: boolean
}) {
  const { failure, subject, isAwaited = false } = props
  const heading = usePageTitle(`No ${subject}`)
  return (
    <div className="empty-note" role="alert">
      <h1 ref={heading} tabIndex={-1}>
        This {subject} does not exist
      </h1>
      <p>
        It may have been removed or renamed while this page was open. The API answered:{' '}
        {failure.message}.
      </p>
      <p className="note-code">{failure.code}</p>
      {isAwaited ? <p>If it begins later, this page shows it then.</p> : null}
      <p>
        <a href={hrefOf({ kind: 'stacks' })}>Show all stacks</a>
      </p>
    </div>
  )
}

/** Reports whether a failure means that the subject of the page does not exist. */
export function isGone(failure: ApiFailure | undefined): failure is ApiFailure {
  return failure?.code === 'STACK_NOT_FOUND' || failure?.code === 'DEPLOYMENT_UNKNOWN'
}
