import { formatProperty } from '../format/format-property.ts'
import { CopyButton } from './copy-button.tsx'

/** Shows the properties of a resource or a stack. Secrets are hidden. */
export function PropertyList({ properties }: { properties: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(properties)
  return (
    <dl className="properties">
      {entries.map(([name, value]) => {
        const { text, isBlock, isHidden } = formatProperty(value)
        return (
          <div key={name} className={isBlock ? 'property property-block' : 'property'}>
            <dt>{name}</dt>
            <dd className={isHidden ? 'code quiet' : 'code'}>
              {isBlock ? (
                <pre tabIndex={0} aria-label={name}>
                  {text}
                </pre>
              ) : (
                text
              )}
              {isHidden ? null : <CopyButton text={text} label={`Copy ${name}`} />}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
