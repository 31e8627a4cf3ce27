import {
  apiPathOf,
  type ListPage,
  type ProjectAndStack,
  type ShownDeployment,
  type ShownStack,
} from '../api/api-views.ts'
import { usePolled } from '../api/use-polled.ts'
import { commandLabelOf, resultStatusOf } from '../format/deployment-status.ts'
import { hrefOf, type ResourceView, type StackTab, stackTabs } from '../routing/page-route.ts'
import { useClient } from '../session/client-context.ts'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { RouteTabs } from '../widgets/route-tabs.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'
import { TabContent } from '../widgets/tab-content.tsx'
import { AgeText } from '../widgets/time-text.tsx'
import { useNow } from '../widgets/use-now.ts'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { DriftLabel } from './drift-label.tsx'
import { GoneNote, isGone } from './gone-note.tsx'
import { StackApprovals } from './stack-approvals.tsx'
import { StackConfiguration } from './stack-configuration.tsx'
import { StackHistory } from './stack-history.tsx'
import { StackOutputs } from './stack-outputs.tsx'
import { StackResources } from './stack-resources.tsx'
import { StackSchedules } from './stack-schedules.tsx'
import { StackSettings } from './stack-settings.tsx'
import { usePageTitle } from './use-page-title.ts'

const pollMs = 3_000

/** The stack, and its last deployment if it has one. */
interface StackWithLastDeployment {
  readonly record: ShownStack
  readonly last: ShownDeployment | undefined
}

const tabLabels: Readonly<Record<StackTab, string>> = {
  resources: 'Resources',
  outputs: 'Outputs',
  history: 'History',
  approvals: 'Approvals',
  configuration: 'Configuration',
  schedules: 'Schedules',
  settings: 'Settings',
}

type StackPageProps = ProjectAndStack & {
  tab: StackTab
  view?: ResourceView | undefined
  resource?: string | undefined
}

/** Shows a stack: its resources, outputs, history, configuration and settings. */
export function StackPage(props: StackPageProps) {
  const { project, stack } = props
  const { client } = useClient()
  const path = apiPathOf({ project, stack })
  const { value, failure } = usePolled<StackWithLastDeployment>({
    key: path,
    intervalMs: pollMs,
    async read(signal) {
      const [record, history] = await Promise.all([
        client.read<ShownStack>(path, signal),
        client.read<ListPage<ShownDeployment>>(`${path}/deployments?limit=1`, signal),
      ])
      return { record, last: history.items[0] }
    },
  })
  if (isGone(failure)) return <GoneNote failure={failure} subject="stack" />
  return (
    <>
      <Breadcrumbs project={project} stack={stack} isStackPage />
      <StackHead {...{ project, stack }} value={value} />
      {failure === undefined ? null : <FailureNote failure={failure} />}
      {value === undefined ? (
        failure === undefined && <LoadingRows label="Reading the stack" />
      ) : (
        <StackTabs {...props} {...{ path, value }} />
      )}
    </>
  )
}

function StackHead(props: ProjectAndStack & { value: StackWithLastDeployment | undefined }) {
  const { project, stack, value } = props
  const heading = usePageTitle(`${project}/${stack}`)
  const nowMs = useNow(1_000)
  const last = value?.last
  return (
    <div className="page-head">
      <h1 ref={heading} tabIndex={-1}>
        <span className="quiet">{project} / </span>
        {stack}
      </h1>
      {value === undefined ? null : (
        <div className="page-note stack-facts">
          {last === undefined ? (
            <StatusLabel status={{ text: 'never deployed', tone: 'quiet' }} />
          ) : (
            <>
              <StatusLabel status={resultStatusOf(last.result)} />
              <a href={hrefOf({ kind: 'deployment', project, stack, number: last.number })}>
                #{last.number} {commandLabelOf(last.command)}
              </a>
              <AgeText timeMs={last.startedAt} nowMs={nowMs} />
            </>
          )}
          <span>version {value.record.version}</span>
          <span className="labelled">
            drift: <DriftLabel stack={value.record} />
          </span>
        </div>
      )}
    </div>
  )
}

function StackTabs(props: StackPageProps & { path: string; value: StackWithLastDeployment }) {
  const { project, stack, tab, view = 'table', resource, path, value } = props
  const { record, last } = value
  const openDeployment = last?.result === undefined ? last?.number : undefined
  // The history changes when a deployment starts and when it ends.
  const historyRevision = `${last?.number ?? 0} ${last?.result ?? ''}`
  return (
    <RouteTabs
      label="Parts of the stack"
      names={stackTabs}
      titles={tabLabels}
      selected={tab}
      hrefOf={name => hrefOf({ kind: 'stack', project, stack, tab: name })}
    >
      <TabContent id="resources">
        <StackResources
          {...{ project, stack, path, view, resource, openDeployment }}
          version={record.version}
        />
      </TabContent>
      <TabContent id="outputs">
        <StackOutputs path={path} version={record.version} />
      </TabContent>
      <TabContent id="history">
        <StackHistory {...{ project, stack, path }} revision={historyRevision} />
      </TabContent>
      <TabContent id="approvals">
        <StackApprovals {...{ project, stack, path }} />
      </TabContent>
      <TabContent id="configuration">
        <StackConfiguration {...{ project, stack, path }} revision={historyRevision} />
      </TabContent>
      <TabContent id="settings">
        <StackSettings path={path} />
      </TabContent>
      <TabContent id="schedules">
        <StackSchedules path={path} />
      </TabContent>
    </RouteTabs>
  )
}
