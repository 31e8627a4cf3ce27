import type { ReactNode } from 'react'

/** Shows that a list is empty, and what fills it. */
export function EmptyNote({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty-note">
      <p className="empty-title">{title}</p>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  )
}
