import type { ShownMessage } from '../deployment/deployment-events.ts'
import { resourceNameOf } from '../deployment/operation-row.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'

/** Shows messages of the engine, of providers and of the program, in their order. */
export function MessageList(props: { title?: string; messages: readonly ShownMessage[] }) {
  const { title, messages } = props
  if (messages.length === 0) return <EmptyNote title="There are no messages" />
  return (
    <section className="messages" aria-label={title ?? 'Messages'}>
      {title === undefined ? null : <h2>{title}</h2>}
      <ul>
        {messages.map(({ severity, text, urn }, index) => (
          <li key={index} className={`message message-${severity}`}>
            <span className="message-head">
              <b>{severity}</b>
              {urn === undefined || urn === '' ? null : (
                <span className="quiet" title={urn}>
                  {resourceNameOf(urn)}
                </span>
              )}
            </span>
            {isLong(text) ? (
              <pre className="message-text" tabIndex={0} aria-label={`Text of the ${severity}`}>
                {text}
              </pre>
            ) : (
              <span className="message-text">{text}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A text with more lines is shown in a box that scrolls. So the next messages stay in view. */
const unscrolledLinesMax = 6

function isLong(text: string): boolean {
  return text.split('\n').length > unscrolledLinesMax
}
