import type { ReactNode } from 'react'
import { TabPanel } from 'react-aria-components'
import { FailureBoundary } from './failure-boundary.tsx'

/** Shows the contents of a tab. An error in them leaves the other tabs usable. */
export function TabContent({ id, children }: { id: string; children: ReactNode }) {
  return (
    <TabPanel id={id} className="tab-panel">
      <FailureBoundary subject="tab">{children}</FailureBoundary>
    </TabPanel>
  )
}
