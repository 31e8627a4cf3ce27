import {
  createMissingVersionError,
  findPublishedVersion,
} from '../../shared/engine/deployment/retention/read-history-and-versions.ts'
import {
  parseSnapshotBlob,
  readSnapshotBlob,
} from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { type BlobHash, type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { EditEnd } from '../../shared/records/stack-request.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { applyStateEdit } from '../../shared/state/edits/apply-edit.ts'
import type { StateEdit } from '../../shared/state/edits/state-edit.ts'
import { printStateBlob } from '../../shared/state/print-envelope.ts'
import { envelopeOf } from '../../shared/state/snapshot-codec.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { publishEdit } from './publish-edit.ts'

/** The store of archives. An edit can name an archive that contains a state. */
type EditArchives = Pick<Platform, 'archives'>

/**
 * Edits the state of a stack, for the command line and for requests. `key`: the key of the request.
 * A forced import, and a rollback without the field `expected`, also replace a state whose blob is
 * damaged. Throws STATE_INVALID for a named archive that is missing, belongs to another stack, or
 * contains no state. Throws MOMENT_UNKNOWN and RECORDS_REMOVED for a missing version, and the
 * errors of `applyStateEdit` and `publishEdit`.
 */
export async function editState(
  platform: EditArchives,
  ports: GeneratorPorts,
  request: {
    readonly stack: StackId
    readonly edit: StateEdit
    readonly by?: string
    readonly key?: string
  },
): Promise<EditEnd> {
  const { stack, edit, by, key } = request
  const namedState = await readStateOfEdit(platform, ports, { stack, edit })
  const names = stackPartsOf(stack)
  return publishEdit(ports, stack, {
    command: edit.kind === 'import' ? 'stack import' : 'state',
    apply: before => applyStateEdit(edit, { before, namedState, names }),
    replacesDamaged:
      (edit.kind === 'import' && edit.force) ||
      (edit.kind === 'rollback' && edit.expected === undefined),
    message: edit.kind === 'rollback' ? `Rolled back to version ${edit.version}` : '',
    ...(by === undefined ? {} : { by }),
    ...(key === undefined ? {} : { key }),
  })
}

/** Returns the state to which an edit refers. Returns undefined when it refers to none. */
async function readStateOfEdit(
  platform: EditArchives,
  ports: GeneratorPorts,
  { stack, edit }: { readonly stack: StackId; readonly edit: StateEdit },
): Promise<StoredDeployment | undefined> {
  if (edit.kind === 'rollback') return readStateOfVersion(ports, stack, edit.version)
  return 'state' in edit ? readNamedState(platform, stack, edit.state) : undefined
}

async function readStateOfVersion(
  { catalog, blobs }: Pick<GeneratorPorts, 'catalog' | 'blobs'>,
  stack: StackId,
  version: number,
): Promise<StoredDeployment> {
  const published = await findPublishedVersion(catalog, stack, version)
  if (published !== undefined) return readSnapshotBlob(blobs, published.snapshot)
  const newest = (await catalog.getStack(stack))?.version ?? 0
  throw createMissingVersionError(version, newest)
}

async function readNamedState(
  { archives }: EditArchives,
  stack: StackId,
  name: string,
): Promise<StoredDeployment> {
  return parseSnapshotBlob(await archives.get(stack, name as BlobHash))
}

/** Stores a state as an archive of a stack, for an edit that names it. Returns its name. */
export async function putNamedState(
  { archives }: EditArchives,
  stack: StackId,
  state: StoredDeployment,
): Promise<BlobHash> {
  return archives.put(stack, await printStateBlob(await envelopeOf(state)))
}
