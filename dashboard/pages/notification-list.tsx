import { StatusLabel } from '../widgets/status-label.tsx'

/** A notification, as far as the page shows it. */
export interface ShownNotification {
  readonly name: string
  readonly value: {
    readonly url?: string
    readonly format?: string
    readonly events?: readonly string[]
    readonly isPaused?: boolean
  }
}

/** Shows notifications: the receiver, the events, and whether they are sent. */
export function NotificationList(props: { notifications: readonly ShownNotification[] }) {
  const { notifications } = props
  if (notifications.length === 0) return <p className="quiet">none</p>
  return (
    <ul className="card schedule-list">
      {notifications.map(({ name, value: { url, format, events = [], isPaused } }) => (
        <li key={name}>
          <b>{name}</b>
          <span className="code wrap">{url}</span>
          <span className="quiet">{[format ?? '', events.join(', ')].join(' · ')}</span>
          <StatusLabel
            status={
              isPaused === true
                ? { text: 'paused', tone: 'quiet' }
                : { text: 'active', tone: 'good' }
            }
          />
        </li>
      ))}
    </ul>
  )
}
