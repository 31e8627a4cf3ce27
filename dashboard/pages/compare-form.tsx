import { useId, useState } from 'react'
import { Button } from 'react-aria-components'
import type { ProjectAndStack, ShownDeployment } from '../api/api-views.ts'
import { commandLabelOf } from '../format/deployment-status.ts'
import { hrefOf } from '../routing/page-route.ts'
import { openRoute } from '../routing/use-route.ts'

interface VersionChoice {
  readonly version: number
  /** The deployment that made the version. */
  readonly origin: string
}

/** Shows the choice of two versions to compare. Shows nothing for a stack with fewer than two. */
export function CompareForm(props: ProjectAndStack & { deployments: readonly ShownDeployment[] }) {
  const { project, stack, deployments } = props
  const versions = listVersions(deployments)
  const [selected, setSelected] = useState<{ from?: number; to?: number }>({})
  const [newest, previous] = versions
  if (newest === undefined || previous === undefined) return null
  const { from = previous.version, to = newest.version } = selected
  return (
    <form
      className="compare-form"
      aria-label="Compare two versions"
      onSubmit={event => {
        event.preventDefault()
        openRoute(hrefOf({ kind: 'diff', project, stack, from, to }))
      }}
    >
      <VersionSelect
        label="From"
        versions={[...versions, { version: 0, origin: 'empty' }]}
        value={from}
        onChange={version => setSelected({ from: version, to })}
      />
      <VersionSelect
        label="To"
        versions={versions}
        value={to}
        onChange={version => setSelected({ from, to: version })}
      />
      <Button type="submit" className="button">
        Compare
      </Button>
    </form>
  )
}

function VersionSelect(props: {
  label: string
  versions: readonly VersionChoice[]
  value: number
  onChange: (version: number) => void
}) {
  const { label, versions, value, onChange } = props
  const id = useId()
  return (
    <span className="labelled">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="select"
        value={value}
        onChange={event => onChange(Number(event.target.value))}
      >
        {versions.map(({ version, origin }) => (
          <option key={version} value={version}>
            version {version} ({origin})
          </option>
        ))}
      </select>
    </span>
  )
}

/**
 * Returns the versions of a history, newest first. Of several deployments with the same version,
 * the oldest one made it, because later ones changed nothing.
 */
function listVersions(deployments: readonly ShownDeployment[]): readonly VersionChoice[] {
  const origins = new Map<number, string>()
  for (const { version, number, command } of deployments)
    if (version !== undefined && version > 0)
      origins.set(version, `#${number} ${commandLabelOf(command)}`)
  return [...origins].map(([version, origin]) => ({ version, origin }))
}
