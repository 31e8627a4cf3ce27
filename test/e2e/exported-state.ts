import { requireSuccess, type Sandbox } from './sandbox.ts'

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
  readonly isAwaitingReplacement: boolean
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
export function parseExport(text: string): ExportedState {
  const { deployment } = JSON.parse(text) as RawState
  return {
    resources: (deployment?.resources ?? []).map(rawResource => ({
      urn: rawResource.urn,
      type: rawResource.type,
      id: rawResource.id ?? '',
      name: nameOf(rawResource.urn),
      inputs: rawResource.inputs ?? {},
      isReplaced: rawResource.delete === true,
      isAwaitingReplacement: rawResource.pendingReplacement === true,
    })),
    pending: (deployment?.pending_operations ?? []).map(({ resource, type }) => ({
      name: nameOf(resource.urn),
      type,
    })),
  }
}

/** Returns the current state of a stack. */
export async function readStackState(sandbox: Sandbox, stack = 'dev'): Promise<ExportedState> {
  return parseExport(await sandbox.exportState(stack))
}

/**
 * Returns the provider's objects that the state neither contains nor names in a pending operation.
 */
export function findLostObjects(
  sandbox: Pick<Sandbox, 'listObjects'>,
  state: ExportedState,
): readonly string[] {
  const managedIds = new Set(state.resources.map(({ id }) => id))
  const pendingNames = new Set(state.pending.map(({ name }) => name))
  return sandbox
    .listObjects()
    .map(({ id }) => id)
    .filter(id => !managedIds.has(id) && !pendingNames.has(id.replace(/-\d+$/, '')))
}

/** Creates the stack `dev` of a sandbox. */
export async function initDevStack(sandbox: Sandbox): Promise<void> {
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
}

/** The arguments of an `up` that does not prompt. */
export const upArgs = ['up', '--yes', '--skip-preview', '-s', 'dev']

function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf('::') + 2)
}
