import { parseSnapshotBlob } from '../../shared/engine/deployment/state/snapshot-blob.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { type BlobHash, type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { EditEnd } from '../../shared/records/stack-request.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { applyStateEdit } from '../../shared/state/edits/apply-edit.ts'
import type { StateEdit } from '../../shared/state/edits/state-edit.ts'
import { envelopeOf } from '../../shared/state/snapshot-codec.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { publishEdit } from './publish-edit.ts'

/** The store of archives. An edit can name an archive that contains a state. */
type EditArchives = Pick<Platform, 'archives'>

/**
 * Edits the state of a stack, for the command line and for requests. `key`: the key of the request.
 * A forced import also replaces a state whose blob is damaged. Throws STATE_INVALID for a named
 * archive that is missing, of another stack or no state, and the errors of `applyStateEdit` and
 * `publishEdit`.
 */
export async function editState(
  platform: EditArchives,
  ports: GeneratorPorts,
  request: { readonly stack: StackId; readonly edit: StateEdit; readonly key?: string },
): Promise<EditEnd> {
  const { stack, edit, key } = request
  const namedState = 'state' in edit ? await readNamedState(platform, stack, edit.state) : undefined
  const names = stackPartsOf(stack)
  return publishEdit(ports, stack, {
    command: edit.kind === 'import' ? 'stack import' : 'state',
    apply: before => applyStateEdit(edit, { before, namedState, names }),
    replacesDamaged: edit.kind === 'import' && edit.force,
    ...(key === undefined ? {} : { key }),
  })
}

async function readNamedState(
  { archives }: EditArchives,
  stack: StackId,
  name: string,
): Promise<StoredDeployment> {
  return parseSnapshotBlob(await archives.get(stack, name as BlobHash))
}

/** Stores a state as an archive of a stack, for an edit that names it. Returns its name. */
export function putNamedState(
  { archives }: EditArchives,
  stack: StackId,
  state: StoredDeployment,
): Promise<BlobHash> {
  return archives.put(stack, Buffer.from(JSON.stringify(envelopeOf(state))))
}
