import type { ApiFailure } from '../api/api-failure.ts'
import { hrefOf } from '../routing/page-route.ts'
import { usePageTitle } from './use-page-title.ts'

/** Shows that the subject of a page does not exist, or no longer. */
export function GoneNote({ failure, subject }: { failure: ApiFailure; subject: string }) {
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
