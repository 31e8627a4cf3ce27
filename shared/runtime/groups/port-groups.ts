/**
 * groups: selects the ports of a stack, if an installation has groups of stacks. Each group has
 * stores and queues of its own.
 *
 * Invariants: a call for a stack uses only the ports of its group. So a record that a program of
 * another group has forged never leads to the stores of this group.
 */
import { defaultGroup, groupNameOf, type StackGroup } from '../../config/stack-groups.ts'
import { createError } from '../../errors/error.ts'
import type { CatalogPort, StackListing } from '../../ports/catalog.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import { toPrintable } from '../../triggers/printable.ts'

/** A group besides the default one, with its ports. */
export interface PortGroup<Ports> extends StackGroup {
  readonly ports: Ports
}

/** The other groups. An interface that extends this one adds the ports of the default group. */
export interface GroupedPorts<Ports> {
  /** The other groups. Absent: there are none. */
  readonly otherGroups?: readonly PortGroup<Ports>[]
}

/** Creates a group whose ports are opened at their first use. */
export function createPortGroup<Ports>(group: StackGroup, open: () => Ports): PortGroup<Ports> {
  let openedGroup: { readonly ports: Ports } | undefined
  const { name, projects } = group
  return {
    name,
    projects,
    get ports() {
      openedGroup ??= { ports: open() }
      return openedGroup.ports
    },
  }
}

/** Returns the ports of the group of a project. */
export function portsOfProject<Ports extends GroupedPorts<Ports>>(
  ports: Ports,
  project: string,
): Ports {
  const { otherGroups = [] } = ports
  const name = groupNameOf(otherGroups, project)
  return otherGroups.find(group => group.name === name)?.ports ?? ports
}

/** Returns the ports of the group of a stack. */
export function portsOfStack<Ports extends GroupedPorts<Ports>>(ports: Ports, id: StackId): Ports {
  return portsOfProject(ports, stackPartsOf(id).project)
}

/** Returns the ports of a group by its name. Throws GROUP_UNKNOWN. */
export function portsOfGroup<Ports extends GroupedPorts<Ports>>(ports: Ports, name: string): Ports {
  const { otherGroups = [] } = ports
  if (name === defaultGroup) return ports
  const namedGroup = otherGroups.find(group => group.name === name)
  if (namedGroup !== undefined) return namedGroup.ports
  const names = [defaultGroup, ...otherGroups.map(group => group.name)].join(', ')
  throw createError('GROUP_UNKNOWN', `there is no group with this name, only: ${names}`)
}

/** Throws STACK_GROUP_DIFFERENT if two stacks belong to different groups. */
export function requireSameGroup(
  groups: readonly StackGroup[],
  stack: StackId,
  otherStack: StackId,
): void {
  requireGroup(groups, groupNameOf(groups, stackPartsOf(stack).project), otherStack)
}

/** Throws STACK_GROUP_DIFFERENT if a stack does not belong to a group. */
export function requireGroup(groups: readonly StackGroup[], group: string, stack: StackId): void {
  const stackGroup = groupNameOf(groups, stackPartsOf(stack).project)
  if (stackGroup !== group) throw createGroupError(`the stack '${stack}'`, stackGroup, group)
}

/** Throws STACK_GROUP_DIFFERENT if the stacks of a project do not belong to a group. */
export function requireGroupOfProject(
  groups: readonly StackGroup[],
  group: string,
  project: string,
): void {
  const projectGroup = groupNameOf(groups, project)
  if (projectGroup !== group)
    throw createGroupError(`the project '${toPrintable(project)}'`, projectGroup, group)
}

function createGroupError(label: string, ownGroup: string, group: string): Error {
  return createError(
    'STACK_GROUP_DIFFERENT',
    `${label} is in the group '${ownGroup}', and not in the group '${group}'`,
  )
}

/** The ports for lists of stacks. */
interface CatalogPorts extends GroupedPorts<CatalogPorts> {
  readonly catalog: Pick<CatalogPort, 'listStacks'>
}

/**
 * Lists the stacks of all groups, or those of a project, ordered by id. A stack whose records are
 * not in the group of its project is listed as unreadable, with STACK_GROUP_DIFFERENT.
 */
export async function listAllStacks<Ports extends CatalogPorts>(
  ports: Ports,
  project?: string,
): Promise<StackListing> {
  const { otherGroups = [] } = ports
  if (otherGroups.length === 0) return ports.catalog.listStacks(project)
  const groups = [{ name: defaultGroup, ports: ports as CatalogPorts }, ...otherGroups]
  const listings = await Promise.all(
    groups.map(async ({ name, ports: { catalog } }) => {
      const { stacks, unreadable } = await catalog.listStacks(project)
      const isInGroup = ({ id }: { readonly id: StackId }): boolean =>
        groupNameOf(otherGroups, stackPartsOf(id).project) === name
      const foreignStacks = stacks
        .filter(stack => !isInGroup(stack))
        .map(({ id }) => ({ id, group: name }))
      return {
        stacks: stacks.filter(isInGroup),
        unreadable: unreadable.filter(isInGroup),
        foreignStacks,
      }
    }),
  )
  const stacks = listings.flatMap(listing => listing.stacks)
  const knownIds = new Set(stacks.map(({ id }) => id))
  const hiddenStacks = listings
    .flatMap(({ foreignStacks }) => foreignStacks)
    .filter(({ id }) => !knownIds.has(id))
    .map(({ id, group }) => ({ id, reason: createHiddenStackError(otherGroups, id, group) }))
  return {
    stacks: stacks.toSorted(compareIds),
    unreadable: [...listings.flatMap(({ unreadable }) => unreadable), ...hiddenStacks].toSorted(
      compareIds,
    ),
  }
}

const compareIds = (one: { readonly id: StackId }, other: { readonly id: StackId }): number =>
  one.id < other.id ? -1 : 1

function createHiddenStackError(groups: readonly StackGroup[], id: StackId, group: string): Error {
  const ownGroup = groupNameOf(groups, stackPartsOf(id).project)
  const message = `the records of '${id}' are in the group '${group}', but its project is in '${ownGroup}'`
  return createError('STACK_GROUP_DIFFERENT', message)
}
