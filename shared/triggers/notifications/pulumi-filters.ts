import type { NotificationEvent } from '../../records/notification.ts'

/** Antichain's commands, by the names of Pulumi's operations. */
const commandsByOperation = {
  update: 'up',
  destroy: 'destroy',
  refresh: 'refresh',
  import: 'import',
} as const

const stackFilters = [
  ...['update_succeeded', 'update_failed', 'destroy_succeeded', 'destroy_failed'],
  ...['refresh_succeeded', 'refresh_failed', 'import_succeeded', 'import_failed'],
] as const

const deploymentFilters = [
  ...['deployment_started', 'deployment_succeeded', 'deployment_failed', 'drift_detected'],
] as const

/**
 * The filters of Pulumi's webhooks for which Antichain has an event. Source: the variable
 * `groupFilters` in cmd/pulumi/stack/stack_webhook_new.go of Pulumi 3.274.1.
 */
export const pulumiFilters = [...stackFilters, ...deploymentFilters] as const

/** A filter of Pulumi's webhooks. */
export type PulumiFilter = (typeof pulumiFilters)[number]

/** The groups of filters for which Antichain has events. */
export const pulumiFilterGroups = ['stacks', 'deployments'] as const

/** The name of a group of filters. */
export type PulumiFilterGroup = (typeof pulumiFilterGroups)[number]

const filtersByGroup: Readonly<Record<PulumiFilterGroup, readonly PulumiFilter[]>> = {
  stacks: stackFilters,
  deployments: deploymentFilters,
}

/** The filters and groups of a webhook. In Pulumi, a webhook without any gets all events. */
export interface FilterSelection {
  readonly filters?: readonly PulumiFilter[] | undefined
  readonly groups?: readonly PulumiFilterGroup[] | undefined
}

/**
 * Returns the filters of a selection and of its groups. Returns undefined for an empty selection,
 * which does not restrict the events.
 */
export function expandSelection({
  filters = [],
  groups = [],
}: FilterSelection): ReadonlySet<PulumiFilter> | undefined {
  if (filters.length === 0 && groups.length === 0) return undefined
  return new Set([...filters, ...groups.flatMap(group => filtersByGroup[group])])
}

/**
 * Returns the first filter of a selection that one of its groups already contains, with that group.
 */
export function findCoveredFilter({
  filters = [],
  groups = [],
}: FilterSelection):
  | { readonly filter: PulumiFilter; readonly group: PulumiFilterGroup }
  | undefined {
  for (const group of groups) {
    const filter = filters.find(name => filtersByGroup[group].includes(name))
    if (filter !== undefined) return { filter, group }
  }
  return undefined
}

/** Reports whether a selection contains an event. Returns undefined for an empty selection. */
export function selectsEvent(
  selection: FilterSelection,
  event: NotificationEvent,
): boolean | undefined {
  const selected: ReadonlySet<string> | undefined = expandSelection(selection)
  return selected === undefined ? undefined : filtersOf(event).some(filter => selected.has(filter))
}

/** Returns Pulumi's name of the operation that an event reports. */
export function pulumiOperationOf({ command }: NotificationEvent): string {
  const entries = Object.entries(commandsByOperation)
  return entries.find(([, name]) => name === command)?.[0] ?? command
}

/**
 * Returns the filters that contain an event. As in Pulumi, a deployment that a command started is
 * only an update, and a requested one is both an update and a deployment.
 */
function filtersOf(event: NotificationEvent): readonly string[] {
  if (event.kind === 'started') return ['deployment_started']
  if (event.kind === 'drift') return ['drift_detected']
  // Pulumi's webhooks have no filter for approvals.
  if (event.kind === 'approval' || event.kind === 'approval-expired') return []
  // A request that started no deployment has no update.
  const isUpdate = event.deployment !== undefined
  return [
    ...(isUpdate ? [`${pulumiOperationOf(event)}_${event.kind}`] : []),
    ...(isUpdate && event.isRequested !== true ? [] : [`deployment_${event.kind}`]),
  ]
}

/** Returns the filters that together contain the events of these kinds. */
export function filtersOfKinds(
  kinds: readonly NotificationEvent['kind'][],
): readonly PulumiFilter[] {
  return pulumiFilters.filter(filter => kinds.includes(kindOfFilter(filter)))
}

/** Returns the kind of the events that a filter contains. */
export function kindOfFilter(filter: PulumiFilter): NotificationEvent['kind'] {
  if (filter === 'deployment_started') return 'started'
  if (filter === 'drift_detected') return 'drift'
  return filter.endsWith('_failed') ? 'failed' : 'succeeded'
}

/** The kinds of deliveries in Pulumi's format. */
export const deliveryKinds = ['stack_update', 'deployment', 'drift_detection', 'ping'] as const

/** A kind of deliveries in Pulumi's format. */
export type DeliveryKind = (typeof deliveryKinds)[number]

/**
 * Returns the kind of delivery of an event. The result of a deployment is delivered once: as an
 * update, unless the selection contains the event only as a deployment.
 */
export function deliveryKindOf(selection: FilterSelection, event: NotificationEvent): DeliveryKind {
  if (event.kind === 'drift') return 'drift_detection'
  if (event.kind === 'started' || event.deployment === undefined) return 'deployment'
  const selected: ReadonlySet<string> | undefined = expandSelection(selection)
  const updateFilter = `${pulumiOperationOf(event)}_${event.kind}`
  const isUpdate = selected === undefined || selected.has(updateFilter)
  return isUpdate ? 'stack_update' : 'deployment'
}
