import { succeeded, type Place } from './place.ts'

/** A resource as a test looks at it. */
export interface FoundResource {
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
export interface FoundState {
  readonly resources: readonly FoundResource[]
  readonly pending: readonly { readonly name: string; readonly type: string }[]
}

interface Written {
  readonly urn: string
  readonly type: string
  readonly id?: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly delete?: boolean
  readonly pendingReplacement?: boolean
}

interface WrittenState {
  readonly deployment: {
    readonly resources?: readonly Written[]
    readonly pending_operations?: readonly {
      readonly resource: Written
      readonly type: string
    }[]
  } | null
}

/** Reads the text of an export. */
export function readExport(text: string): FoundState {
  const { deployment } = JSON.parse(text) as WrittenState
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
export async function stateOf(place: Place, stack = 'dev'): Promise<FoundState> {
  return readExport(await place.exported(stack))
}

/** Objects of the provider that the state neither has nor names in a pending operation. */
export function lostObjects(place: Pick<Place, 'objects'>, state: FoundState): readonly string[] {
  const kept = new Set(state.resources.map(({ id }) => id))
  const pending = new Set(state.pending.map(({ name }) => name))
  return place
    .objects()
    .map(({ id }) => id)
    .filter(id => !kept.has(id) && !pending.has(id.replace(/-\d+$/, '')))
}

/** Makes the stack `dev` of a place. */
export async function initStack(place: Place): Promise<void> {
  succeeded(await place.run(['stack', 'init', 'dev']))
}

/** `up` without questions. */
export const up = ['up', '--yes', '--skip-preview', '-s', 'dev']

function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf('::') + 2)
}
