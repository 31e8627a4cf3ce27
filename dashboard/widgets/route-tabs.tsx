import type { ReactNode } from 'react'
import { Tab, TabList, Tabs } from 'react-aria-components'

/** Shows the tabs of a page whose address names the selected tab. `children`: the panels. */
export function RouteTabs<Name extends string>(props: {
  label: string
  names: readonly Name[]
  titles: Readonly<Record<Name, string>>
  selected: Name
  hrefOf: (name: Name) => string
  children: ReactNode
}) {
  const { label, names, titles, selected, hrefOf, children } = props
  return (
    <Tabs
      className="tabs"
      selectedKey={selected}
      onSelectionChange={key => {
        const next = names.find(name => name === key)
        // The address is replaced, so that the tabs of a page share one entry in the browser's
        // history.
        if (next !== undefined && next !== selected) location.replace(hrefOf(next))
      }}
    >
      <TabList aria-label={label} className="tab-list">
        {names.map(name => (
          <Tab key={name} id={name} className="tab">
            {titles[name]}
          </Tab>
        ))}
      </TabList>
      {children}
    </Tabs>
  )
}
