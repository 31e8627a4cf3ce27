import { allowsRole, apiPathOf, type ProjectAndStack } from '../api/api-views.ts'
import type { DashboardClient } from '../api/dashboard-client.ts'
import { formatCount } from '../format/format-count.ts'
import { useClient } from '../session/client-context.ts'
import { ConfirmButton, type ConfirmButtonProps } from '../widgets/confirm-button.tsx'

type ActionTarget = ProjectAndStack & {
  readonly number: number
  /** The stop that was requested before: `none`, `graceful` or `forced`. */
  readonly stop: string
  /** The number of operations whose messages were not processed. */
  readonly undelivered: number
  readonly onChanged: () => void
}

/**
 * The answer of the API to a redrive. `none`: the deployment has ended. `nothing`: no message is to
 * be sent again.
 */
interface RedriveResult {
  readonly kind: 'none' | 'stopped' | 'nothing' | 'sent'
  readonly operations?: number
}

/** Shows the actions of an open deployment, or why the token may not do anything. */
export function DeploymentActions(target: ActionTarget) {
  const { client, permissions } = useClient()
  if (!allowsRole(permissions, 'deploy'))
    return (
      <p className="head-action quiet">
        Cancelling needs a token with the role <b>deploy</b>
      </p>
    )
  const isRedrivable = target.undelivered > 0 && target.stop === 'none'
  return (
    <div className="head-action action-buttons">
      {isRedrivable ? <ConfirmButton {...createRedrive(client, target)} /> : null}
      <ConfirmButton {...createResume(client, target)} />
      <ConfirmButton {...createCancel(client, target)} />
    </div>
  )
}

function createCancel(client: DashboardClient, target: ActionTarget): ConfirmButtonProps {
  const isForced = target.stop !== 'none'
  const shared = { isDanger: true, refuseLabel: 'Keep it running' }
  const run = async (): Promise<undefined> => {
    await client.send(`${pathOf(target)}/cancel`, { force: isForced })
    target.onChanged()
  }
  if (isForced)
    return {
      ...shared,
      label: 'Abandon…',
      title: 'Abandon the running operations?',
      children:
        'The deployment ends now. The results of its running operations are unknown, and the state lists them as pending operations that a person must check.',
      action: 'Abandon operations',
      run,
    }
  return {
    ...shared,
    label: 'Cancel…',
    title: `Cancel deployment #${target.number}?`,
    children:
      'No further operation begins. The running ones end normally, and their results are recorded. Resources that were changed so far stay as they are.',
    action: 'Cancel deployment',
    run,
  }
}

function createResume(client: DashboardClient, target: ActionTarget): ConfirmButtonProps {
  const continuation =
    target.stop === 'none'
      ? 'a server continues it now: it runs the program again, and keeps what is recorded.'
      : 'a server closes it now, because it was stopped.'
  return {
    label: 'Resume…',
    title: `Resume deployment #${target.number}?`,
    children: `If the process of this deployment has died, ${continuation} If the process is alive, nothing changes.`,
    action: 'Resume deployment',
    refuseLabel: 'Do nothing',
    isDanger: false,
    async run() {
      await client.send(`${pathOf(target)}/resume`, {})
      target.onChanged()
      return 'A server checks the deployment now. If its process has died, this page shows within seconds how it continues.'
    },
  }
}

function createRedrive(client: DashboardClient, target: ActionTarget): ConfirmButtonProps {
  const count = formatCount(target.undelivered, 'operation')
  return {
    label: 'Redrive…',
    title: `Send the messages of ${count} again?`,
    children:
      'These messages were delivered several times and never processed. They are sent again. An operation that has ended meanwhile does not run again.',
    action: 'Send again',
    refuseLabel: 'Do nothing',
    isDanger: false,
    async run() {
      const result = await client.send<RedriveResult>(`${pathOf(target)}/redrive`, {})
      target.onChanged()
      return redriveTextOf(result)
    },
  }
}

function redriveTextOf({ kind, operations = 0 }: RedriveResult): string {
  switch (kind) {
    case 'none':
      return 'The deployment has ended meanwhile.'
    case 'stopped':
      return 'The deployment was stopped meanwhile: it starts no more operations.'
    case 'nothing':
      return 'The deployment has no operations to retry.'
    case 'sent':
      return `The messages of ${formatCount(operations, 'operation')} were sent again.`
  }
}

function pathOf({ project, stack, number }: ActionTarget): string {
  return `${apiPathOf({ project, stack })}/deployments/${number}`
}
