import { requireSuccess, type Place } from './place.ts'

/** A resource in the form that the tests compare. */
export interface ExportedResource {
  readonly urn: string
  readonly type: string
  readonly id: string
  /** The last part of the URN. */
  readonly name: string
  readonly inputs: Readonly<Record<string, unknown>>
  /** Whether the resource was replaced and still has to be deleted. */
  readonly isReplaced: boolean
  /** Whether the resource was deleted and its replacement does not exist yet. */
  readonly isGone: boolean
}

/** The parsed contents of an exported state. */
export interface ExportedState {
  readonly resources: readonly ExportedResource[]
  readonly pending: readonly { readonly name: string; readonly type: string }[]
}

interface RawResource {
  readonly urn: string
  readonly type: string
  readonly id?: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly delete?: boolean
  readonly pendingReplacement?: boolean
}

interface RawState {
  readonly deployment: {
    readonly resources?: readonly RawResource[]
    readonly pending_operations?: readonly {
      readonly resource: RawResource
      readonly type: string
    }[]
  } | null
}

/** Parses the text of an export. */
export function readExport(text: string): ExportedState {
  const { deployment } = JSON.parse(text) as RawState
  return {
    resources: (deployment?.resources ?? []).map(written => ({
      urn: written.urn,
      type: written.type,
      id: written.id ?? '',
      name: nameOf(written.urn),
      inputs: written.inputs ?? {},
      isReplaced: written.delete === true,
      isGone: written.pendingReplacement === true,
    })),
    pending: (deployment?.pending_operations ?? []).map(({ resource, type }) => ({
      name: nameOf(resource.urn),
      type,
    })),
  }
}

/** Returns the current state of a stack. */
export async function readStackState(place: Place, stack = 'dev'): Promise<ExportedState> {
  return readExport(await place.exportState(stack))
}

/**
 * Returns the provider's objects that the state neither contains nor names in a pending operation.
 */
export function lostObjects(
  place: Pick<Place, 'listObjects'>,
  state: ExportedState,
): readonly string[] {
  const kept = new Set(state.resources.map(({ id }) => id))
  const pending = new Set(state.pending.map(({ name }) => name))
  return place
    .listObjects()
    .map(({ id }) => id)
    .filter(id => !kept.has(id) && !pending.has(id.replace(/-\d+$/, '')))
}

/** Creates the stack `dev` of a place. */
export async function initDevStack(place: Place): Promise<void> {
  requireSuccess(await place.run(['stack', 'init', 'dev']))
}

/** The arguments of an `up` that does not prompt. */
export const upArgs = ['up', '--yes', '--skip-preview', '-s', 'dev']

function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf('::') + 2)
}
