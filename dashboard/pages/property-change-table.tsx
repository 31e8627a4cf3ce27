import type { ShownPropertyChange } from '../deployment/planned-changes.ts'
import { formatProperty } from '../format/format-property.ts'

/** Shows changed properties, the old values beside the new ones. */
export function PropertyChangeTable({
  properties,
}: {
  properties: readonly ShownPropertyChange[]
}) {
  if (properties.length === 0) return null
  return (
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
            <td>{property.op === 'add' ? <Absent /> : <ChangedValue value={property.old} />}</td>
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
  )
}

function Absent() {
  return <span className="quiet">absent</span>
}

function ChangedValue({ value }: { value: unknown }) {
  const { text, isHidden } = formatProperty(value)
  return <span className={isHidden ? 'code quiet' : 'code change-value'}>{text}</span>
}
