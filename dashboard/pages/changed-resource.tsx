import { resourceNameOf, shortTypeOf } from '../deployment/operation-row.ts'
import { formatProperty } from '../format/format-property.ts'
import { StatusLabel } from '../widgets/status-label.tsx'

/** A changed property, as the API returns it. */
interface ShownPropertyChange {
  readonly path: string
  readonly op: 'add' | 'remove' | 'change' | 'unknown'
  readonly old?: unknown
  readonly new?: unknown
}

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
      {properties.length === 0 ? null : (
        <table className="change-table">
          <thead>
            <tr>
              <th scope="col">Property</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {properties.map(property => (
              <tr key={property.path}>
                <th scope="row" className="code">
                  {property.path}
                </th>
                <td>
                  {property.op === 'add' ? <Absent /> : <ChangedValue value={property.old} />}
                </td>
                <td>
                  {property.op === 'remove' ? <Absent /> : <ChangedValue value={property.new} />}
                  {property.op === 'unknown' ? (
                    <span className="quiet"> encrypted again, and may be unchanged</span>
                  ) : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

function Absent() {
  return <span className="quiet">absent</span>
}

function ChangedValue({ value }: { value: unknown }) {
  const { text, isHidden } = formatProperty(value)
  return <span className={isHidden ? 'code quiet' : 'code change-value'}>{text}</span>
}
