import { resourceNameOf, shortTypeOf } from '../deployment/operation-row.ts'
import type { ShownPropertyChange } from '../deployment/planned-changes.ts'
import { StatusLabel } from '../widgets/status-label.tsx'
import { PropertyChangeTable } from './property-change-table.tsx'

/** A changed resource, as the API returns it. */
export interface ShownChange {
  readonly op: 'add' | 'remove' | 'change'
  readonly urn: string
  readonly type: string
  readonly id?: string
  readonly isOldCopy?: true
  readonly properties: readonly ShownPropertyChange[]
}

const changeLabels = {
  add: { text: 'added', tone: 'good' },
  change: { text: 'changed', tone: 'warn' },
  remove: { text: 'removed', tone: 'bad' },
} as const

/** Shows a changed resource with its changed properties, the old values beside the new ones. */
export function ChangedResource({ change, href }: { change: ShownChange; href: string }) {
  const { op, urn, type, isOldCopy, properties } = change
  const name = resourceNameOf(urn)
  return (
    <>
      <div className="change-head">
        <StatusLabel status={changeLabels[op]} />
        <h2>{op === 'remove' ? name : <a href={href}>{name}</a>}</h2>
        <span className="code quiet" title={urn}>
          {shortTypeOf(type)}
        </span>
        {isOldCopy === true ? <span className="tag">old copy</span> : null}
      </div>
      <PropertyChangeTable properties={properties} />
    </>
  )
}
