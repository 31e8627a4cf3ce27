import { hrefOf } from '../routing/page-route.ts'
import { usePageTitle } from './use-page-title.ts'

/** Shows that the address names no page. */
export function UnknownPage() {
  const heading = usePageTitle('Unknown page')
  return (
    <div className="empty-note">
      <h1 ref={heading} tabIndex={-1}>
        This page does not exist
      </h1>
      <p>
        The address names no page of the dashboard.{' '}
        <a href={hrefOf({ kind: 'stacks' })}>Show all stacks</a>
      </p>
    </div>
  )
}
