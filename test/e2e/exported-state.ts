import { requireSuccess, type Place } from './place.ts'

/** A resource as a test looks at it. */
export interface ExportedResource {
  readonly urn: string
  readonly type: string
  readonly id: string
  /** The name at the end of the URN. */
  readonly name: string
  readonly inputs: Readonly<Record<string, unknown>>
  /** Whether it was replaced, and is to be deleted still. */
  readonly isReplaced: boolean
  /** Whether it was deleted, and what is to replace it is not there yet. */
  readonly isGone: boolean
}

/** What an exported state says. */
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

/** Reads the text of an export. */
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

/** The state of a stack now. */
export async function readStackState(place: Place, stack = 'dev'): Promise<ExportedState> {
  return readExport(await place.exportState(stack))
}

/** Objects of the provider that the state neither has nor names in a pending operation. */
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

/** Makes the stack `dev` of a place. */
export async function initDevStack(place: Place): Promise<void> {
  requireSuccess(await place.run(['stack', 'init', 'dev']))
}

/** `up` without questions. */
export const upArgs = ['up', '--yes', '--skip-preview', '-s', 'dev']

function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf('::') + 2)
}
