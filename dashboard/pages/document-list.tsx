/** A list of documents of the API, each with its name and value. */
export interface NamedItems<Value> {
  readonly items: readonly { readonly name: string; readonly value: Value }[]
}

/** Shows documents as a list of their names and facts. */
export function DocumentList(props: {
  items: readonly { readonly name: string; readonly facts: readonly string[] }[]
}) {
  const { items } = props
  if (items.length === 0) return <p className="quiet">none</p>
  return (
    <ul className="card schedule-list">
      {items.map(({ name, facts }) => (
        <li key={name}>
          <b>{name}</b>
          {facts.map(fact => (
            <span key={fact} className="code wrap">
              {fact}
            </span>
          ))}
        </li>
      ))}
    </ul>
  )
}
