import type { StatusTone, StatusDisplay } from '../format/deployment-status.ts'

const shapes: Readonly<Record<StatusTone, string>> = {
  good: 'M4 8.5l2.6 2.6L12 5.5',
  bad: 'M5 5l6 6M11 5l-6 6',
  warn: 'M8 4v5M8 11.6v.4',
  busy: 'M8 3a5 5 0 1 1-5 5',
  quiet: 'M5 8h6',
}

/** Shows a status as symbol and text, so that its meaning does not depend on color. */
export function StatusLabel({ status: { text, tone } }: { status: StatusDisplay }) {
  return (
    <span className={`status status-${tone}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true" className="status-symbol">
        <path d={shapes[tone]} />
      </svg>
      {text}
    </span>
  )
}
