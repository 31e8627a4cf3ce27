import { useMemo, useState } from 'react'
import { apiPathOf, type ProjectAndStack } from '../api/api-views.ts'
import { usePolled } from '../api/use-polled.ts'
import { formatCount, formatNumber, formatShownCount } from '../format/format-count.ts'
import { createMatcher } from '../format/match-filter.ts'
import { hrefOf } from '../routing/page-route.ts'
import { useClient } from '../session/client-context.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { SearchBox } from '../widgets/search-box.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { GoneNote, isGone } from './gone-note.tsx'
import { ChangedResource, type ShownChange } from './changed-resource.tsx'
import { usePageTitle } from './use-page-title.ts'

interface VersionDiff {
  readonly changes: readonly ShownChange[]
  readonly changeCount: number
  readonly sameCount: number
}

/**
 * The number of changed resources that are shown at the same time. A filter can find the others.
 */
const shownChangesMax = 200

/** Shows the differences of two versions of a stack by resource and property. */
export function VersionDiffPage(props: ProjectAndStack & { from: number; to: number }) {
  const { project, stack, from, to } = props
  const { client } = useClient()
  const heading = usePageTitle(`${project}/${stack} ${from} → ${to}`)
  const path = `${apiPathOf({ project, stack })}/diff?from=${from}&to=${to}`
  const { value: diff, failure } = usePolled({
    key: path,
    intervalMs: 0,
    read: signal => client.read<VersionDiff>(path, signal),
  })
  if (isGone(failure)) return <GoneNote failure={failure} subject="stack" />
  return (
    <>
      <Breadcrumbs project={project} stack={stack} isStackPage={false} />
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          Version {from} → {to}
        </h1>
        {diff === undefined ? null : (
          <p className="page-note" role="status">
            {countTextOf(diff)}
          </p>
        )}
        <a
          className="head-action"
          href={hrefOf({ kind: 'diff', project, stack, from: to, to: from })}
        >
          Swap
        </a>
      </div>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      {diff === undefined ? (
        failure === undefined && <LoadingRows label="Comparing the versions" />
      ) : (
        <ChangeList {...{ project, stack }} diff={diff} />
      )}
    </>
  )
}

function ChangeList({ project, stack, diff }: ProjectAndStack & { diff: VersionDiff }) {
  const [filter, setFilter] = useState('')
  const { changes, changeCount } = diff
  const matchingChanges = useMemo(() => {
    const matches = createMatcher(filter)
    if (matches === undefined) return changes
    return changes.filter(({ urn, properties }) =>
      matches(`${urn} ${properties.map(({ path }) => path).join(' ')}`),
    )
  }, [changes, filter])
  if (changes.length === 0)
    return <EmptyNote title="The two versions have the same resources and properties" />
  const shownChanges = matchingChanges.slice(0, shownChangesMax)
  return (
    <>
      <div className="table-tools">
        <SearchBox
          label="Filter changes"
          placeholder="Filter by name, type or property"
          value={filter}
          onChange={setFilter}
        />
        <p className="page-note" role="status">
          {formatShownCount(shownChanges.length, changeCount, 'change')}
        </p>
      </div>
      <ul className="change-list">
        {shownChanges.map(change => (
          <li key={`${change.urn} ${change.id ?? ''} ${change.op}`} className="card change">
            <ChangedResource
              change={change}
              href={hrefOf({
                kind: 'stack',
                project,
                stack,
                tab: 'resources',
                view: 'table',
                resource: change.urn,
              })}
            />
          </li>
        ))}
      </ul>
      {shownChanges.length < changeCount ? (
        <p className="quiet">
          {formatNumber(changeCount - shownChanges.length)} further changes are not shown. A filter
          searches the first {formatNumber(changes.length)} changes.
        </p>
      ) : null}
    </>
  )
}

function countTextOf({ changes, changeCount, sameCount }: VersionDiff): string {
  const sameText = `${formatNumber(sameCount)} unchanged`
  if (changes.length < changeCount) return `${formatCount(changeCount, 'change')}, ${sameText}`
  const countOf = (op: ShownChange['op']): number =>
    changes.filter(change => change.op === op).length
  const counts = [
    [countOf('add'), 'added'],
    [countOf('change'), 'changed'],
    [countOf('remove'), 'removed'],
  ] as const
  const texts = counts.flatMap(([count, word]) =>
    count === 0 ? [] : [`${formatNumber(count)} ${word}`],
  )
  return [...texts, sameText].join(', ')
}
