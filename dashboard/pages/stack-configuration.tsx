import type { DashboardClient } from '../api/dashboard-client.ts'
import { ApiFailure } from '../api/api-failure.ts'
import type { ListPage, ProjectAndStack, ShownDeployment } from '../api/api-views.ts'
import { usePolled } from '../api/use-polled.ts'
import { hrefOf } from '../routing/page-route.ts'
import { useClient } from '../session/client-context.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { PropertyList } from '../widgets/property-list.tsx'

interface DeployedConfig {
  readonly number: number
  readonly config: Readonly<Record<string, string>>
}

/**
 * The number of deployments in which the page searches for a configuration. An edit of the state
 * has none.
 */
const deploymentsMax = 5
/** The number of first events of a deployment, one of which contains its configuration. */
const eventsMax = 20

/** Shows the configuration with which the last deployment ran. Its secrets are hidden. */
export function StackConfiguration(props: ProjectAndStack & { path: string; revision: string }) {
  const { project, stack, path, revision } = props
  const { client } = useClient()
  const { value, failure } = usePolled({
    key: path,
    revision,
    intervalMs: 0,
    read: async signal => ({ deployed: await readDeployedConfig(client, path, signal) }),
  })
  if (failure !== undefined) return <FailureNote failure={failure} />
  if (value === undefined) return <LoadingRows label="Reading the configuration" />
  const { deployed } = value
  if (deployed === undefined)
    return (
      <EmptyNote title="No configuration is recorded">
        The configuration is part of the events of a deployment. This stack has none, or they were
        removed.
      </EmptyNote>
    )
  const { number, config } = deployed
  return (
    <>
      <p className="page-note section-note">
        The configuration of deployment{' '}
        <a href={hrefOf({ kind: 'deployment', project, stack, number })}>#{number}</a>, the last one
        that ran a program.
      </p>
      {Object.keys(config).length === 0 ? (
        <EmptyNote title="The configuration of this deployment was empty" />
      ) : (
        <div className="card padded">
          <PropertyList properties={config} />
        </div>
      )}
    </>
  )
}

async function readDeployedConfig(
  client: DashboardClient,
  path: string,
  signal: AbortSignal,
): Promise<DeployedConfig | undefined> {
  const { items } = await client.read<ListPage<ShownDeployment>>(
    `${path}/deployments?limit=${deploymentsMax}`,
    signal,
  )
  for (const { number } of items) {
    const config = await readConfigOf(client, `${path}/deployments/${number}`, signal)
    if (config !== undefined) return { number, config }
  }
  return undefined
}

interface FirstEvent {
  readonly preludeEvent?: { readonly config: Readonly<Record<string, string>> }
}

async function readConfigOf(
  client: DashboardClient,
  path: string,
  signal: AbortSignal,
): Promise<DeployedConfig['config'] | undefined> {
  try {
    const { items } = await client.read<{ readonly items: readonly FirstEvent[] }>(
      `${path}/events?limit=${eventsMax}`,
      signal,
    )
    return items.find(({ preludeEvent }) => preludeEvent !== undefined)?.preludeEvent?.config
  } catch (thrown) {
    // A deployment from before a rename of the stack has no events here, and the events of an old
    // deployment are removed.
    const isAbsent =
      thrown instanceof ApiFailure &&
      ['RECORDS_REMOVED', 'DEPLOYMENT_UNKNOWN', 'MOMENT_UNKNOWN'].includes(thrown.code)
    if (isAbsent) return undefined
    throw thrown
  }
}
