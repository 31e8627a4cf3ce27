import { useMemo, useState } from 'react'
import { usePolled } from '../api/use-polled.ts'
import { type QueryRows, readQuery, searchTermOf, sqlTextOf } from '../api/read-query.ts'
import { formatCount } from '../format/format-count.ts'
import { hrefOf } from '../routing/page-route.ts'
import { openRoute } from '../routing/use-route.ts'
import { useClient } from '../session/client-context.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { SearchBox } from '../widgets/search-box.tsx'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'
import { resourceColumns } from './resource-columns.tsx'
import { usePageTitle } from './use-page-title.ts'

interface FoundResource {
  readonly project: string
  readonly stack: string
  readonly urn: string
  readonly type: string
  readonly name: string
  readonly id: string | null
}

/** Maximum number of resources that the page shows. */
const foundMax = 500

/** Shows the resources of all stacks that contain the words of a text. */
export function SearchPage({ text }: { text: string }) {
  const heading = usePageTitle('Search')
  const [draft, setDraft] = useState(text)
  return (
    <>
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          Search
        </h1>
        <form
          className="search-form"
          onSubmit={event => {
            event.preventDefault()
            openRoute(hrefOf({ kind: 'search', text: draft.trim() }))
          }}
        >
          <SearchBox
            label="Search resources of all stacks"
            placeholder="Words of a name, type, id or property"
            value={draft}
            onChange={setDraft}
          />
          <button type="submit" className="button">
            Search
          </button>
        </form>
      </div>
      <FoundResources key={text} text={text} />
    </>
  )
}

function FoundResources({ text }: { text: string }) {
  const { client } = useClient()
  const term = searchTermOf(text)
  const { value, failure } = usePolled<QueryRows<FoundResource>>({
    key: text,
    intervalMs: 0,
    read: async signal =>
      term === undefined
        ? { rows: [], isTruncated: false, unreadable: [] }
        : readQuery(client, {
            signal,
            sql: `select project, stack, urn, type, name, id from search
              where search match ${sqlTextOf(term)} order by rank limit ${foundMax}`,
          }),
  })
  const columns = useMemo(createColumns, [])
  if (term === undefined)
    return (
      <EmptyNote title="Search the resources of all stacks">
        The search reads names, types, ids and properties of the published states, without secrets.
      </EmptyNote>
    )
  if (failure !== undefined) return <FailureNote failure={failure} />
  if (value === undefined) return <LoadingRows label="Searching" />
  const { rows, unreadable } = value
  return (
    <>
      {unreadable.map(id => (
        <p key={id} className="note note-warn" role="alert">
          The records of {id} cannot be read, so the search omits them.
        </p>
      ))}
      <p className="page-note search-count" role="status">
        {rows.length === foundMax
          ? `the first ${formatCount(foundMax, 'resource')}`
          : formatCount(rows.length, 'resource')}
      </p>
      {rows.length === 0 ? (
        <EmptyNote title="No resource contains these words" />
      ) : (
        <VirtualTable
          label="Found resources"
          className="found-table"
          columns={columns}
          rows={rows}
          keyOf={({ project, stack, urn, id }) => `${project}/${stack} ${urn} ${id ?? ''}`}
          onOpen={row => openRoute(hrefOfFound(row))}
        />
      )}
    </>
  )
}

function hrefOfFound({ project, stack, urn }: FoundResource): string {
  const base = { kind: 'stack', project, stack, tab: 'resources', view: 'table' } as const
  return hrefOf({ ...base, resource: urn })
}

function createColumns(): readonly TableColumn<FoundResource>[] {
  return [
    ...resourceColumns,
    {
      name: 'stack',
      header: 'Stack',
      show: ({ project, stack }) => `${project} / ${stack}`,
      sortBy: ({ project, stack }) => `${project} / ${stack}`,
    },
    {
      name: 'id',
      header: 'ID',
      show: ({ id }) => <span className="code">{id}</span>,
      sortBy: ({ id }) => id ?? undefined,
    },
  ]
}
